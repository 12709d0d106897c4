// GET and PUT /v3/sites/{id}/retention, and that what is kept no longer is gone.

import { join } from "node:path";
import { expect, test } from "vitest";
import { parseRetention, UNLIMITED } from "#core/telemetry/retention.ts";
import { instant } from "#core/time/instant.ts";
import { enforceRetention } from "#service/telemetry/enforce-retention.ts";
import { openSeries } from "#store/series/open-series.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";
import { useServer } from "../../support/server.ts";
import { ask, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0", "--telemetry-retention", "10y", "--telemetry-readers", "1"]);
const kit = useTelemetry(busbar);

interface Answer {
  readonly retention: { default: string | null; attributes: object; installation_default: string };
}
const path = () => `/v3/sites/${kit.siteId}/retention`;
const put = (json: unknown) => busbar.admin.call<Answer>("PUT", path(), { json });

test("without rules the installation's setting holds", async () => {
  expect((await busbar.admin.get<Answer>(path())).body).toEqual({
    retention: { default: null, attributes: {}, installation_default: "10y" },
  });
});

test("rules are answered as they were set, replace those before, and are in the audit log", async () => {
  const rules = { default: "1y", attributes: { power: "30d", constructor: "unlimited" } };
  expect((await put(rules)).body.retention).toEqual({ ...rules, installation_default: "10y" });
  expect((await busbar.admin.get<Answer>(path())).body.retention).toEqual({ ...rules, installation_default: "10y" });
  const audit = await busbar.admin.get<{ entries: readonly object[] }>("/v3/audit?action.in=putRetention&limit=1");
  expect(audit.body.entries[0]).toMatchObject({ target: { site_id: kit.siteId }, details: rules });
  await put({ attributes: { note: "2h" } });
  await busbar.restart();
  expect((await busbar.admin.get<Answer>(path())).body.retention).toMatchObject({
    default: null,
    attributes: { note: "2h" },
  });
  expect((await put({})).body.retention).toMatchObject({ default: null, attributes: {} });
});

test.each([
  [{ default: "59m" }, "/default"],
  [{ default: "forever" }, "/default"],
  [{ default: 5 }, "/default"],
  [{ attributes: { power: "0s" } }, "/attributes/power"],
  [{ attributes: [] }, "/attributes"],
  [{ attributes: { "a b": "1y" } }, "/attributes"],
  [{ defaults: "1y" }, "/defaults"],
])("the rules %j are refused at %s", async (rules, pointer) => {
  const refused = await put(rules);
  expect(refused.status).toBe(400);
  expect(refused.errors).toContainEqual(expect.objectContaining({ details: { pointer } }));
});

test("what no rule keeps any longer is gone, by attribute, and stays so", async () => {
  const day = 86_400;
  const today = Math.floor(Date.now() / 1000 / day) * day;
  const id = await kit.create("old");
  const rows = Array.from({ length: 40 }, (_, i) => `${today - (40 - i) * day},${i},${i}`);
  const csv = `ts,telemetry=power,telemetry=energy\n${rows.join("\n")}\n`;
  await busbar.admin.call("POST", `/v3/devices/${id}/telemetry/import`, { bytes: csv });
  await put({ default: "20d", attributes: { energy: "5d", note: "unlimited" } });
  await busbar.withRecords(async (records) => {
    const settings = { graceMs: 0, maxHotPoints: 1e6, readers: 1 };
    const telemetry = await openSeries(sqliteChunks(join(busbar.data, "telemetry.db")), settings, (error) => {
      throw error;
    });
    const needs = { ...records, telemetry, now: () => instant(today * 1000) };
    await telemetry.settle(instant(today * 1000));
    expect(await enforceRetention(needs, parseRetention("1y") ?? UNLIMITED)).toBe(20 + 35);
    expect(await enforceRetention(needs, parseRetention("1y") ?? UNLIMITED)).toBe(0);
    await telemetry.close();
  });
  const question = { from: today - 100 * day, to: today, granularity: "1d", aggregation: "count" };
  const answer = await ask(busbar.admin, { ...question, telemetry: [{ device: id, attribute: ["power", "energy"] }] });
  const kept = rowsOf(answer).split(" ");
  expect(kept.length).toBe(20);
  expect(kept.filter((row) => row.endsWith(",1,1")).length).toBe(5);
});
