// The script of examples/compose/cloud that makes servers one database which Citus spreads, against servers that ask for a
// password.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { HAS_CITUS } from "../support/citus.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { sayIfWithoutCitus } from "../support/without-citus.ts";
import { newDevice } from "./record-store-contract.ts";

const SCRIPT = fileURLToPath(new URL("../../examples/compose/cloud/spread.sh", import.meta.url));
const SECRET = "it's a 'secret'";
const settings = {
  shared_preload_libraries: "citus",
  max_prepared_transactions: 50,
  max_connections: 150,
  wal_level: "logical",
};

async function startServer(): Promise<Postgres> {
  const server = await startPostgres({ version: 15, settings });
  onTestFinished(() => server.stop());
  await server.database("busbar");
  const client = await server.session("busbar");
  await client.query(`ALTER USER busbar PASSWORD ${client.escapeLiteral(SECRET)}`);
  const { rows } = await client.query<{ hba_file: string }>("SHOW hba_file");
  const rule = client.escapeLiteral(rows[0]?.hba_file ?? "");
  await client.query(`COPY (SELECT 'host all all all scram-sha-256') TO ${rule}`);
  await client.query("SELECT pg_reload_conf()");
  await client.end();
  return server;
}

sayIfWithoutCitus();

describe.runIf(HAS_CITUS)("the example for Compose on Citus", () => {
  test("the script makes the servers one database, twice, and a device's rows lie on a worker", async () => {
    const [coordinator, ...workers] = await Promise.all([startServer(), startServer(), startServer()]);
    const env = {
      ...process.env,
      POSTGRES_USER: "busbar",
      POSTGRES_PASSWORD: SECRET,
      POSTGRES_DB: "busbar",
      SERVERS: [coordinator, ...workers].map(({ port }) => `127.0.0.1:${port}`).join(" "),
    };
    const run = () => promisify(execFile)("sh", [SCRIPT], { env });
    await run();
    await run();
    const url = `postgres://busbar:${encodeURIComponent(SECRET)}@127.0.0.1:${coordinator.port}/busbar`;
    const stores = await openPostgresRecords(url, { allowLoss: true });
    onTestFinished(() => stores.close());
    await newDevice(stores);
    const session = new pg.Client(url);
    await session.connect();
    onTestFinished(() => session.end());
    const { rows } = await session.query<{ nodeport: number }>(
      "SELECT DISTINCT nodeport FROM citus_shards WHERE table_name = 'execution'::regclass ORDER BY nodeport",
    );
    expect(rows.map(({ nodeport }) => nodeport)).toEqual(workers.map(({ port }) => port).sort((a, b) => a - b));
  });
});
