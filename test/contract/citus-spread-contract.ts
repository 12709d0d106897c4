// `busbar database spread`, and what a start does with a database that is spread.
import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { prepareDatabase } from "#store/postgres/connect.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { openSeries } from "#store/series/open-series.ts";
import { postgresChunks } from "#store/series/postgres/open-postgres-chunks.ts";
import type { Citus } from "../support/citus.ts";
import { arrival, asNew, makeExecution } from "../support/executions.ts";
import { readCsv } from "../support/read-csv.ts";
import { makeDevice, makeEntry, makeSite, NOON } from "../support/records.ts";
import { runBusbar } from "../support/run-busbar.ts";

export function citusSpreadContract(cluster: () => Citus): void {
  test("an installation is spread while no node runs, keeps what it has, and starts again", async () => {
    const url = await cluster().coordinator.database("later");
    const env = { BUSBAR_DATABASE_URL: url };
    const spread = () => runBusbar("database spread", { env });
    expect((await spread()).err).toContain("the database has no tables of Busbar");
    await prepareDatabase(url);
    expect((await spread()).err).toContain("the database has no extension citus");
    const before = await openPostgresRecords(url, { allowLoss: true });
    const site = makeSite();
    await before.sites.insert(site, makeEntry());
    const devices = [makeDevice(site.id), makeDevice(site.id), makeDevice(site.id)];
    for (const device of devices) await before.devices.insert(device, makeEntry());
    const made = devices.map((device) => makeExecution({ siteId: site.id, deviceId: device.id }));
    for (const execution of made) await before.executions.insert(asNew(execution), makeEntry());
    const telemetry = () => openSeries(postgresChunks(url), { graceMs: 0, maxHotPoints: 1e6, readers: 1 }, () => {});
    const [place] = devices;
    const point = (at: number) => ({ deviceId: place?.id ?? "", at: instant(at), values: new Map([["power", at]]) });
    const stored = await telemetry();
    for (const at of [0, 3_600_000]) {
      await stored.append([point(at)]);
      // The first point is sealed, the second one is not.
      if (at === 0) await stored.settle(instant(86_400_000));
    }
    await stored.close();
    await cluster().database("later");
    expect((await spread()).err).toContain("a node of Busbar runs on the database");
    await before.close();
    const done = await spread();
    expect(done).toMatchObject({ code: 0, out: "the tables are spread\n" });
    expect(done.err).toContain("execution_response");
    expect((await spread()).out).toBe("the tables were spread before; nothing was changed\n");

    await prepareDatabase(url);
    const after = await openPostgresRecords(url, { allowLoss: true });
    for (const { id, deviceId } of made) {
      expect(await after.executions.find(deviceId, id, NOON)).toMatchObject({ state: "NEW" });
      await after.executions.record(deviceId, id, arrival("SUCCEEDED"));
      expect(await after.executions.find(deviceId, id, NOON)).toMatchObject({ state: "SUCCESS" });
    }
    await after.close();
    const spreadOut = await telemetry();
    await spreadOut.append([point(7_200_000)]);
    const item = { deviceId: place?.id ?? "", attribute: "power", kind: "number", aggregation: "last" } as const;
    const whole = { requester: "test", from: instant(0), to: instant(86_400_000) };
    const items = [{ ...item, granularityMs: 1_000, lookAroundMs: undefined }];
    expect(await readCsv(spreadOut, { ...whole, items })).toBe("0,0\n3600,3600000\n7200,7200000\n");
    await spreadOut.close();
    const client = await cluster().session("later");
    const { rows } = await client.query(
      "SELECT count(DISTINCT nodeport)::int AS servers FROM citus_shards WHERE table_name = 'execution'::regclass",
    );
    await client.end();
    expect(rows).toEqual([{ servers: 2 }]);
  });
}
