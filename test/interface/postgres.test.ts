// The service on PostgreSQL instead of the embedded store.
import pg from "pg";
import { afterAll, expect } from "vitest";
import { check } from "../support/check.ts";
import { startPostgres } from "../support/postgres.ts";
import { ADMIN_TOKEN } from "../support/server.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith } from "../support/validate.ts";

const server = await startPostgres();
// Hooks run in reverse order: the site stops first.
afterAll(() => server.stop());
const url = await server.prepared("site");
const env = { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN, BUSBAR_DATABASE_URL: url, BUSBAR_DATABASE_ALLOW_LOSS: "true" };
const site = useSite([], { env });

check("running.database-url", async () => {
  const device = await site.device(manifestWith("telemetry: {power: {type: float, display_name: P}}"));
  const mqtt = await device.connect();
  await mqtt.sendTelemetry({ timestamp: 5, power: 1 });
  await expect.poll(() => device.now("power")).toEqual({ power: { value: 1, timestamp: 5 } });
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    `SELECT (SELECT count(*)::int FROM device WHERE id = $1) AS devices, (SELECT count(*)::int FROM telemetry_journal) AS batches`,
    [device.id],
  );
  await client.end();
  expect(rows[0]).toEqual({ devices: 1, batches: expect.any(Number) });
  expect(rows[0].batches).toBeGreaterThan(0);
});
