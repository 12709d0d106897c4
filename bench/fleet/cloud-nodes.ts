// The cloud under a fleet: one node with the embedded store, or nodes that share a PostgreSQL or a Citus. Its figures are those
// of all nodes together, and of the database where there is one.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { HAS_CITUS, startCitus, WITHOUT_CITUS } from "../../test/support/citus.ts";
import { type Postgres, startPostgres } from "../../test/support/postgres.ts";
import { type Gateway, startGateway } from "../commands/gateway.ts";
import { cpuSeconds, familySeconds, memoryMiB } from "../commands/machine.ts";

export type Database = "embedded" | "postgres" | "citus";

/** Counters since the start, and what is in memory now. */
interface Figures {
  readonly nodesSeconds: number;
  readonly databaseSeconds: number;
  readonly residentMiB: number;
  /** Between the nodes, through the database. */
  readonly notifications: number;
  readonly notifiedBytes: number;
  /** Of all servers of the database; each statement of its own is one. */
  readonly transactions: number;
}

export interface CloudNodes {
  readonly nodes: readonly Gateway[];
  figures(): Promise<Figures>;
  /** Bytes on the main threads of all nodes that are no garbage. */
  heapBytes(): Promise<number>;
  /** 0 with the embedded store. */
  databaseMiB(): Promise<number>;
  stop(): Promise<void>;
}

/** What lets a second node take part; everything else is in the database. */
const KEYS = ["seal.key", "admin.token"];
const HEAP = fileURLToPath(new URL("./report-heap.mjs", import.meta.url));
const FLAGS = ["--role", "cloud", "--mqtt-port", "off", "--http-connections-per-address", "10000"];

const TRANSACTIONS = "(SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database())";

export async function startCloud(folder: string, database: Database, count: number): Promise<CloudNodes> {
  if (database === "embedded" && count > 1)
    throw new Error("several nodes share a PostgreSQL: add --database postgres");
  const server = database === "embedded" ? undefined : await startDatabase(folder, database);
  const nodes: Gateway[] = [];
  const heapFiles: string[] = [];
  try {
    for (let n = 0; n < count; n++) {
      const data = join(folder, `node-${n}`);
      mkdirSync(data);
      const first = join(folder, "node-0");
      for (const key of KEYS)
        if (n > 0 && existsSync(join(first, key))) copyFileSync(join(first, key), join(data, key));
      const heapFile = join(folder, `heap-${n}`);
      heapFiles.push(heapFile);
      const variables = {
        NODE_OPTIONS: `--import=${HEAP}`,
        BENCH_HEAP_FILE: heapFile,
        ...(server !== undefined && { BUSBAR_DATABASE_URL: server.url }),
      };
      nodes.push(await startGateway(data, FLAGS, variables));
    }
  } catch (error) {
    await Promise.all(nodes.map((node) => node.stop()));
    await server?.stop();
    throw error;
  }
  return {
    nodes,
    async figures() {
      return {
        nodesSeconds: sum(nodes, ({ pid }) => cpuSeconds(pid)),
        databaseSeconds: sum(server?.pids ?? [], familySeconds),
        residentMiB: sum(nodes, ({ pid }) => memoryMiB(pid)),
        ...(server?.heard() ?? { notifications: 0, notifiedBytes: 0 }),
        transactions: (await server?.transactions()) ?? 0,
      };
    },
    async heapBytes() {
      let bytes = 0;
      for (const [n, { pid }] of nodes.entries()) bytes += await heapOf(pid, heapFiles[n] ?? "");
      return bytes;
    },
    databaseMiB: async () => (await server?.sizeMiB()) ?? 0,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await server?.stop();
    },
  };
}

async function heapOf(pid: number, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  while (!existsSync(file)) await rest(100);
  await rest(100);
  return Number(readFileSync(file, "utf8"));
}

async function startDatabase(folder: string, kind: "postgres" | "citus") {
  if (kind === "citus" && !HAS_CITUS) throw new Error(WITHOUT_CITUS);
  const options = { fsync: true, parent: folder };
  const settings = { max_connections: 200, shared_buffers: "256MB" };
  const server =
    kind === "citus" ? await startCitus(options) : await startPostgres({ ...options, version: 15, settings });
  const url = await server.database("fleet");
  const listener: pg.Client = new pg.Client(url);
  await listener.connect();
  const heard = { notifications: 0, notifiedBytes: 0 };
  listener.on("notification", ({ payload = "" }) => {
    heard.notifications++;
    heard.notifiedBytes += payload.length;
  });
  await listener.query("LISTEN busbar");
  const servers = "workers" in server ? [server.coordinator, ...server.workers] : [server];
  return {
    url,
    heard: () => heard,
    pids: await ofEach<number>(servers, "split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int"),
    async transactions() {
      const counts = await ofEach<string>(servers, TRANSACTIONS);
      return sum(counts, Number);
    },
    async sizeMiB() {
      const sizes = await ofEach<string>(servers, "pg_database_size(current_database())");
      return Math.round(sum(sizes, Number) / 1024 / 1024);
    },
    async stop() {
      await listener.end();
      await server.stop();
    },
  };
}

async function ofEach<Value>(servers: readonly Pick<Postgres, "session">[], expression: string): Promise<Value[]> {
  const found: Value[] = [];
  for (const server of servers) {
    const client = await server.session("fleet");
    const { rows } = await client.query<{ value: Value }>(`SELECT ${expression} AS value`);
    found.push(...rows.map(({ value }) => value));
    await client.end();
  }
  return found;
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
