// What a real server says about itself, by which a node finds the primary among several.
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readServerState } from "#store/postgres/database-servers.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
  const session = await server.session("postgres");
  await session.query("CREATE ROLE plain LOGIN");
  await session.query("CREATE ROLE reader LOGIN");
  await session.query("ALTER ROLE reader SET default_transaction_read_only = on");
  await session.end();
});
afterAll(() => server.stop());

async function stateFor(user: string) {
  const client = new pg.Client(`postgres://${user}@127.0.0.1:${server.port}/postgres`);
  await client.connect();
  onTestFinished(() => client.end());
  return await readServerState(client);
}

test("a primary that nobody has taken over from has the first timeline, for every user", async () => {
  const state = { isWritable: true, system: expect.stringMatching(/^\d{10,}$/), timeline: 1 };
  expect(await stateFor("plain")).toEqual(state);
  expect(await stateFor("reader")).toEqual({ ...state, isWritable: false });
});

test("where a server hides its log, nothing but whether it accepts writes is known", async () => {
  const session = await server.session("postgres");
  onTestFinished(() => session.end());
  await session.query("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
  onTestFinished(async () => void (await session.query("GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC")));
  expect(await stateFor("plain")).toEqual({ isWritable: true, system: "", timeline: undefined });
  expect(await stateFor("reader")).toEqual({ isWritable: false, system: "", timeline: undefined });
});

const several = (name: string) => `postgres://busbar@127.0.0.1:${server.port},localhost:${server.port}/${name}`;

test("an address of several servers opens the records, and what waiting cannot mend is refused at once", async () => {
  await server.prepared("several");
  const records = await openPostgresRecords(several("several"), { allowLoss: true });
  expect(await records.isEmpty()).toBe(true);
  await records.close();
  await expect(openPostgresRecords(several("nothing"))).rejects.toThrow(
    'the database cannot be opened: database "nothing" does not exist',
  );
});
