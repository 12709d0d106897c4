// Two real PostgreSQL servers of Debian: a primary that acknowledges a commit when its standby has it, too, and the standby.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { prepareDatabase } from "#store/postgres/connect.ts";
import { authorityCertificate, certify } from "./certificates.ts";
import { freePort } from "./free-port.ts";
import { DEBIAN_PROGRAMS } from "./postgres.ts";

export const hasPostgresPair = existsSync(join(DEBIAN_PROGRAMS, "pg_basebackup"));

const NOBODY = 65_534;
const DATABASE = "pair";

interface PairOptions {
  /** Both accept TLS, each with a certificate for its own name: the first primary, and its standby. */
  readonly names?: readonly [string, string];
}

interface Server {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  child: ChildProcess | undefined;
}

export interface PostgresPair {
  /** Names both servers. */
  readonly url: string;
  /** The first primary, and its standby. */
  readonly ports: readonly [number, number];
  /** The certificate of the authority that signed those of both. */
  readonly authority: string;
  /** Asks the server that is the primary now, or the other one. */
  onPrimary<Row extends pg.QueryResultRow>(sql: string): Promise<readonly Row[]>;
  onOld<Row extends pg.QueryResultRow>(sql: string): Promise<readonly Row[]>;
  /** The primary answers nothing any more, and its connections stay open, as when its machine hangs; then it goes on. */
  freezePrimary(): void;
  thaw(): void;
  /** Ends the primary as a failure of its machine does. */
  killPrimary(): Promise<void>;
  startPrimary(): Promise<void>;
  /** The standby becomes the primary. The old one, if it runs, is not asked. */
  promote(): Promise<void>;
  /** The killed primary starts again as it was, but waits for no standby: it takes writes that nobody else has. */
  reviveOld(): Promise<void>;
  /** The old primary becomes the standby of the new one, from a new copy. */
  rejoin(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgresPair({ names }: PairOptions = {}): Promise<PostgresPair> {
  const parent = mkdtempSync(join(tmpdir(), "busbar-pair-"));
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) {
    chownSync(parent, NOBODY, NOBODY);
    chmodSync(parent, 0o755);
  }
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(join(DEBIAN_PROGRAMS, program), args, { ...as, cwd: parent, stdio: "pipe" });
  const makeServer = async (name: string): Promise<Server> => ({
    name,
    port: await freePort(),
    folder: join(parent, name),
    child: undefined,
  });
  const write = (file: string, text: string) => {
    const path = join(parent, file);
    writeFileSync(path, text, { mode: 0o600 });
    if (isRoot) chownSync(path, NOBODY, NOBODY);
    return path;
  };
  /** What both say over TLS is beside their folders: a standby begins as a copy of the primary. */
  const tlsOf = ({ name }: Server) =>
    names === undefined
      ? {}
      : { ssl: "on", ssl_cert_file: join(parent, `${name}.crt`), ssl_key_file: join(parent, `${name}.key`) };
  for (const [n, name] of (names ?? []).entries()) {
    const { cert, key } = certify([name]);
    write(`${"ab"[n]}.crt`, cert);
    write(`${"ab"[n]}.key`, key);
  }
  let primary = await makeServer("a");
  let standby = await makeServer("b");
  const urlOf = ({ port }: Server, database = "postgres") => `postgres://busbar@127.0.0.1:${port}/${database}`;

  async function ask<Row extends pg.QueryResultRow>(server: Server, sql: string, database = "postgres") {
    const client = new pg.Client({ connectionString: urlOf(server, database), connectionTimeoutMillis: 2_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** The processes of a killed server may hold its memory for a moment, and a start is refused meanwhile. */
  async function start(server: Server): Promise<void> {
    const settings = {
      port: server.port,
      listen_addresses: "127.0.0.1",
      unix_socket_directories: parent,
      ...tlsOf(server),
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    for (let attempts = 0; attempts < 600; attempts++) {
      if (server.child === undefined || server.child.exitCode !== null) {
        const program = join(DEBIAN_PROGRAMS, "postgres");
        server.child = spawn(program, ["-D", server.folder, ...flags], { ...as, cwd: parent, stdio: "ignore" });
      }
      const isThere = await ask(server, "SELECT 1").then(
        () => true,
        () => false,
      );
      if (isThere) return;
      await sleep(50);
    }
    throw new Error("a PostgreSQL of the pair does not answer");
  }

  async function end(server: Server, signal: NodeJS.Signals): Promise<void> {
    const { child } = server;
    server.child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  async function follow(): Promise<void> {
    rmSync(standby.folder, { recursive: true, force: true });
    const from = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "busbar"];
    run("pg_basebackup", "-D", standby.folder, ...from, "-c", "fast", "-X", "stream", "-R", "-N");
    await start(standby);
    await ask(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await ask(primary, "SELECT pg_reload_conf()");
    for (;;) {
      const rows = await ask(primary, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
      if (rows.length > 0) return;
      await sleep(20);
    }
  }

  async function waitForNobody(server: Server): Promise<void> {
    await ask(server, "ALTER SYSTEM RESET synchronous_standby_names");
    await ask(server, "SELECT pg_reload_conf()");
  }

  run("initdb", "-D", primary.folder, "-U", "busbar", "-A", "trust", "-E", "UTF8", "--locale=C", "-N");
  await start(primary);
  await ask(primary, `CREATE DATABASE ${DATABASE}`);
  await prepareDatabase(urlOf(primary, DATABASE));
  await follow();
  let frozen: readonly number[] = [];
  const thaw = () => {
    for (const id of frozen) process.kill(id, "SIGCONT");
    frozen = [];
  };
  return {
    ports: [primary.port, standby.port],
    authority: write("authority.crt", authorityCertificate()),
    freezePrimary() {
      const id = primary.child?.pid;
      if (id === undefined) throw new Error("the primary does not run");
      // The first one first: then it starts no others.
      process.kill(id, "SIGSTOP");
      const others = childrenOf(id);
      for (const one of others) process.kill(one, "SIGSTOP");
      frozen = [...others, id];
    },
    thaw,
    url: `postgres://busbar@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${DATABASE}?target_session_attrs=read-write`,
    onPrimary: (sql) => ask(primary, sql, DATABASE),
    onOld: (sql) => ask(standby, sql, DATABASE),
    killPrimary: () => end(primary, "SIGKILL"),
    startPrimary: () => start(primary),
    async promote() {
      [primary, standby] = [standby, primary];
      await ask(primary, "SELECT pg_promote(true, 60)");
    },
    async reviveOld() {
      await start(standby);
      await waitForNobody(standby);
    },
    async rejoin() {
      await end(standby, "SIGQUIT");
      await follow();
    },
    async stop() {
      thaw();
      await Promise.all([end(primary, "SIGQUIT"), end(standby, "SIGQUIT")]);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    const id = Number(name);
    if (!Number.isInteger(id)) return [];
    try {
      // After the name of the program, which may hold anything: the state, and the parent.
      const [, its] = readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      return Number(its) === parent ? [id] : [];
    } catch {
      return [];
    }
  });
}
