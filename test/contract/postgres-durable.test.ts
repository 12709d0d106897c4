// The settings of the server decide whether an acknowledged commit survives: every new connection looks at them.
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { instant } from "#core/time/instant.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { openSeries } from "#store/series/open-series.ts";
import { postgresChunks } from "#store/series/postgres/open-postgres-chunks.ts";
import { PATIENT } from "../support/patient.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { makeEntry, makeSite } from "../support/records.ts";
import { expectRefusal } from "./stores.ts";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres({ fsync: true });
});
afterAll(() => server.stop());

/** As after a restart with another setting, for one database: new connections have it, and there are no others. */
async function become(database: string, setting: string): Promise<void> {
  const client = await server.session("postgres");
  await client.query(`ALTER DATABASE ${database} ${setting}`);
  await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [database]);
  await client.end();
}

test("while the server may lose commits, records are read and not written; it ends with the setting", async () => {
  const seen: (string | undefined)[] = [];
  const records = await openPostgresRecords(await server.prepared("loose"), {
    readers: 1,
    onChecked: (unsafe) => void seen.push(unsafe),
  });
  onTestFinished(() => records.close());
  const [before, during, after] = [makeSite(), makeSite(), makeSite()];
  await records.sites.insert(before, makeEntry());
  expect(new Set(seen)).toEqual(new Set([undefined]));
  await become("loose", "SET synchronous_commit = off");
  await vi.waitFor(async () => {
    await expectRefusal(records.sites.insert(during, makeEntry()), "storage_unavailable");
    // A connection that was lost is a reason, too.
    expect(seen.at(-1)).toBe("synchronous_commit=off");
  }, PATIENT);
  // The first reads may find that their connections were lost.
  await vi.waitFor(async () => expect(await records.sites.find(before.id)).toEqual(before), PATIENT);
  await become("loose", "RESET synchronous_commit");
  await vi.waitFor(() => records.sites.insert(after, makeEntry()), PATIENT);
  expect(seen.at(-1)).toBeUndefined();
  expect(await records.sites.find(during.id)).toBeUndefined();
});

test("while the server may lose commits, no telemetry is acknowledged; it ends with the setting", async () => {
  const address = postgresChunks(await server.prepared("points"), { mustBeDurable: true });
  const store = await openSeries(address, { graceMs: 0, maxHotPoints: 1e6, readers: 1 }, () => {});
  onTestFinished(() => store.close());
  const point = (at: number) => ({ deviceId: "a", at: instant(at), values: new Map([["power", 1]]) });
  await store.append([point(1_000)]);
  await become("points", "SET synchronous_commit = off");
  await vi.waitFor(() => expectRefusal(store.append([point(2_000)]), "storage_unavailable"), PATIENT);
  await expectRefusal(store.append([point(2_000)]), "storage_unavailable");
  await become("points", "RESET synchronous_commit");
  await vi.waitFor(() => store.append([point(3_000)]), PATIENT);
});
