// A real Citus on Debian's PostgreSQL 15: a coordinator and two workers. Only where its extension is installed.
import { existsSync } from "node:fs";
import type pg from "pg";
import { prepareDatabase } from "#store/postgres/connect.ts";
import { type Postgres, type PostgresOptions, startPostgres } from "./postgres.ts";

export const HAS_CITUS = existsSync("/usr/share/postgresql/15/extension/citus.control");
export const WITHOUT_CITUS =
  "the extension citus is not installed for the PostgreSQL 15 of this machine: what needs it is not run";

/** Enough for two devices to be apart; each takes time to make. */
const SHARDS = 4;

export interface Citus extends Pick<Postgres, "prepared" | "database" | "session" | "stop"> {
  readonly coordinator: Postgres;
  readonly workers: readonly Postgres[];
  /** Another server with the extension, in a database of that name. The coordinator does not know it yet. */
  newWorker(name: string): Promise<Postgres>;
}

export async function startCitus(options: Omit<PostgresOptions, "version"> = {}, shards = SHARDS): Promise<Citus> {
  const settings = {
    shared_preload_libraries: "citus",
    max_prepared_transactions: 100,
    max_connections: 150,
    "citus.node_conninfo": "sslmode=disable",
    "citus.recover_2pc_interval": "2s",
    // Parts of tables move while they are written to.
    wal_level: "logical",
    ...options.settings,
  };
  const start = () => startPostgres({ ...options, version: 15, settings });
  const [coordinator, ...workers] = await Promise.all([start(), start(), start()]);
  const servers = [coordinator, ...workers];
  const added: Postgres[] = [];

  async function extended(server: Postgres, name: string): Promise<void> {
    await server.database(name);
    const parts = `ALTER DATABASE "${name}" SET citus.shard_count = ${shards}`;
    await at(server, name, parts, "CREATE EXTENSION IF NOT EXISTS citus");
  }

  /** On all servers, which know each other. */
  async function database(name: string): Promise<string> {
    const url = await coordinator.database(name);
    for (const server of servers) await extended(server, name);
    const address = ({ port }: Postgres) => `'127.0.0.1', ${port}`;
    await at(
      coordinator,
      name,
      `SELECT citus_set_coordinator_host(${address(coordinator)})`,
      ...workers.map((worker) => `SELECT citus_add_node(${address(worker)})`),
    );
    return url;
  }

  return {
    coordinator,
    workers,
    database,
    async prepared(name) {
      const url = await database(name);
      await prepareDatabase(url);
      return url;
    },
    async newWorker(name) {
      const server = await start();
      added.push(server);
      await extended(server, name);
      return server;
    },
    session: coordinator.session,
    stop: async () => void (await Promise.all([...servers, ...added].map((server) => server.stop()))),
  };
}

async function at(server: Postgres, name: string, ...statements: readonly string[]): Promise<void> {
  const client: pg.Client = await server.session(name);
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
