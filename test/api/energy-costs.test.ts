// /v3/sites/{site_id}/tariff, /v3/sites/{site_id}/prices/{kind} and the costs of /v3/sites/{site_id}/energy.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, expect, test } from "vitest";
import type { SiteEnergy } from "#client/resources.ts";
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const METER = `blueprint_spec: device/3.0
display_name: Meter
category: power-meters
implements: [energy.meter.grid]
runtime: {type: embedded}
telemetry:
  grid_power: {type: float, unit: W, display_name: Power}
  grid_energy_import: {type: float, unit: kWh, display_name: Import}
  grid_energy_export: {type: float, unit: kWh, display_name: Export}
`;
/** Midnight in Berlin of a Sunday of 23 hours. */
const MIDNIGHT = Date.parse("2026-03-28T23:00:00Z");
const at = (hour: number) => new Date(MIDNIGHT + hour * 3_600_000).toISOString();

let siteId = "";
let empty = "";

beforeAll(async () => {
  const make = async (name: string) =>
    (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name, timezone: "Europe/Berlin" })).body.site.id;
  [siteId, empty] = [await make("Farm"), await make("Empty")];
  const { body } = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: METER,
  });
  const wanted = { name: "meter", slug: "meter", site_id: siteId, blueprint_id: body.blueprint.id };
  const device = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted)).body.device_id;
  const answer = await busbar.admin.post<{ config: FakeDeviceConfig }>(`/v3/devices/${device}/generate_config`, {
    protocol: "MQTT",
  });
  const meter = await connectFakeDevice(answer.body.config);
  // 4 kWh from the grid in each hour, 1 kWh to it; the power is 4 kW, and 6 kW at 10 o'clock.
  for (let quarter = 0; quarter < 23 * 4; quarter++) {
    await meter.sendTelemetry({
      timestamp: (MIDNIGHT + quarter * 900_000) / 1_000,
      grid_power: quarter === 40 ? 6_000 : 4_000,
      grid_energy_import: 1_000 + quarter,
      grid_energy_export: 500 + quarter / 4,
    });
  }
});

const put = async (json: unknown, path = "tariff", site = siteId, session = busbar.admin) =>
  await session.call(`PUT`, `/v3/sites/${site}/${path}`, { json });
const read = async (query: string, site = siteId) =>
  (await busbar.admin.get<{ energy: SiteEnergy }>(`/v3/sites/${site}/energy${query}`)).body.energy;
const DAY = "?period=2026-03-29&costs=true";

test("a site without a tariff has no costs, and says so", async () => {
  const { costs, steps } = await read(`${DAY}&step=hour`, empty);
  expect([costs, steps?.[0]?.costs]).toEqual([null, undefined]);
  expect((await busbar.admin.get(`/v3/sites/${empty}/tariff`)).body).toEqual({ tariff: null });
});

test("a tariff is stored as it was given, and deleted", async () => {
  const tariff = { currency: "CHF", versions: [{ import: { type: "fixed", price: 0.3 } }] };
  expect(await put(tariff, "tariff", empty)).toMatchObject({ status: 200, body: { tariff } });
  expect((await busbar.admin.get(`/v3/sites/${empty}/tariff`)).body).toMatchObject({ tariff });
  const { costs } = await read(DAY, empty);
  expect(costs).toMatchObject({ currency: "CHF", import: null, net: null, base: 0 });
  expect((await busbar.admin.call("DELETE", `/v3/sites/${empty}/tariff`)).status).toBe(200);
  expect((await busbar.admin.get(`/v3/sites/${empty}/tariff`)).body).toEqual({ tariff: null });
});

test("time of use follows the clock of the site, and rates, base and peak charges are listed", async () => {
  await put({
    currency: "EUR",
    versions: [
      {
        import: {
          type: "time_of_use",
          rates: [{ name: "night", price: 0.2, from: "22:00", to: "06:00" }],
          default: { name: "day", price: 0.3 },
        },
        export: { type: "fixed", price: 0.08 },
        base: { amount: 31, per: "month" },
        peak: { amount: 10, per: "month" },
        co2: { type: "fixed", grams: 400 },
      },
    ],
  });
  const { costs, steps = [], groups } = await read(`${DAY}&step=hour`);
  // The first value of a counter counts nothing. The night has 5 hours before 6 o'clock, and 2 in the evening.
  expect(groups.from_grid).toBe(91_000);
  const night = 7 * 4 - 1;
  expect(costs).toMatchObject({
    currency: "EUR",
    import: night * 0.2 + 64 * 0.3,
    export: 1.82,
    base: 1,
    peak: null,
    co2: 36_400,
    unpriced_energy: { import: 0, export: 0, co2: 0 },
    by_rate: [
      { kind: "import", name: "night", energy: 27_000, amount: 5.4 },
      { kind: "import", name: "day", energy: 64_000, amount: 19.2 },
      { kind: "export", name: "fixed", energy: 22_750, amount: 1.82 },
    ],
  });
  const micro = (value: number | null | undefined) => Math.round((value ?? 0) * 1e6);
  for (const field of ["import", "export", "net", "co2"] as const) {
    const sum = steps.reduce((total, step) => total + micro(step.costs?.[field]), 0);
    expect([field, sum]).toEqual([field, micro(costs?.[field === "net" ? "net_energy" : field])]);
  }
  const month = await read("?period=2026-03&costs=true&before=true");
  expect(month.costs).toMatchObject({ base: 31, peak: 60, peaks: [{ power: 6_000, at: at(10), amount: 60 }] });
  expect(month.costs?.net).toBe(24.6 - 1.82 + 31 + 60);
  expect(month.before?.costs).toMatchObject({ import: null, base: 31, peak: null, net: null });
});

test("a new version does not change the past, and energy without a price is named, not free", async () => {
  await put({
    currency: "EUR",
    versions: [
      { valid_from: "2026-03-29", import: { type: "fixed", price: 0.5 } },
      { valid_from: "2026-03-30", import: { type: "fixed", price: 9 } },
    ],
  });
  const { costs } = await read(DAY);
  expect(costs).toMatchObject({
    import: 45.5,
    export: null,
    net: 45.5,
    unpriced_energy: { export: 22_750, co2: 91_000 },
  });
  await put({ currency: "EUR", versions: [{ valid_from: "2026-03-30", import: { type: "fixed", price: 9 } }] });
  expect((await read(DAY)).costs).toMatchObject({ import: null, base: null, unpriced_energy: { import: 91_000 } });
});

test("stored prices count with their surcharges, negative ones too, and gaps stay gaps", async () => {
  const rule = { type: "prices", name: "spot", add: 0.1, factor: 1.2 };
  await put({ currency: "EUR", versions: [{ import: rule, co2: { type: "series" } }] });
  const rows = [
    { from: at(8), to: at(9), price: 0.05 },
    { from: at(9), duration: "15m", price: -0.5 },
    { from: at(12), price: 0.2 },
  ];
  expect((await put({ duration: "1h", prices: rows }, "prices/import")).body).toEqual({ stored: 3 });
  await put({ prices: [{ from: at(0), to: at(23), price: 500 }] }, "prices/co2");
  const { costs, steps = [] } = await read(`${DAY}&step=hour`);
  const hour = (n: number) => steps[n]?.costs;
  expect(hour(8)).toMatchObject({ import: 0.72, unpriced_energy: { import: 0 }, co2: 2_000 });
  expect(hour(9)).toMatchObject({ import: -0.48, unpriced_energy: { import: 3_000 } });
  expect(hour(10)).toMatchObject({ import: null, unpriced_energy: { import: 4_000 } });
  expect(hour(12)).toMatchObject({ import: 1.44 });
  expect(costs).toMatchObject({ import: 1.68, unpriced_energy: { import: 91_000 - 9_000 }, co2: 45_500 });
  const path = `/v3/sites/${siteId}/prices/import?from=${at(8)}&to=${at(13)}`;
  expect((await busbar.admin.get(path)).body).toEqual({
    prices: {
      kind: "import",
      prices: [
        { from: at(8), to: at(9), price: 0.05 },
        { from: at(9), to: at(9.25), price: -0.5 },
        { from: at(12), to: at(13), price: 0.2 },
      ],
    },
  });
  await put({ prices: [{ from: at(8), to: at(20), price: null }] }, "prices/import");
  expect((await read(DAY)).costs?.import).toBe(null);
});

test("no place of a tariff is reported twice, whether its schema or the rules find the mistake", async () => {
  const rates = [{ name: " ", price: "dear", from: "25:00", to: "25:00", months: [13], weekdays: [] }];
  const versions = [
    { import: { type: "time_of_use", rates }, export: 7, base: {} },
    { valid_from: "2026-02-30", "a/b": 1 },
    8,
  ];
  const { errors } = await put({ currency: "eur", versions });
  const pointers = errors.map(({ details }) => details?.["pointer"]);
  expect(pointers).toContain("/versions/1/valid_from");
  expect(pointers.filter((pointer, place) => pointers.indexOf(pointer) !== place)).toEqual([]);
});

test("all mistakes in a tariff are reported at once, by pointer", async () => {
  const rates = [{ name: "night", price: 0.2, from: "22:00", to: "06:00" }];
  const { status, errors } = await put({
    currency: "EUR",
    versions: [
      {
        valid_from: "2026-02-30",
        import: { type: "time_of_use", rates },
        export: { type: "fixed", price: 1, factor: 2 },
      },
      { import: { type: "fixed" }, co2: { type: "series", grams: 3 } },
    ],
  });
  expect([status, errors.map(({ details }) => details?.["pointer"])]).toEqual([
    400,
    [
      "/versions/0/valid_from",
      "/versions/0/import/rates",
      "/versions/0/export/factor",
      "/versions/1/import/price",
      "/versions/1/co2/grams",
      "/versions/1/valid_from",
    ],
  ]);
  expect(errors[1]?.message).toContain("no rate is in force on mon at 06:00 in month 1");
});

test.each([
  ["tariff", { currency: "euro", versions: [] }],
  ["tariff", { currency: "EUR", versions: Array.from({ length: 51 }, () => ({})) }],
  ["tariff", { currency: "EUR", versions: [{ import: { type: "fixed", price: 1e9 } }] }],
  ["tariff", { currency: "EUR", versions: [{ constructor: 1 }] }],
  ["prices/import", { prices: [] }],
  ["prices/import", { prices: [{ from: at(0), price: 1 }] }],
  ["prices/import", { duration: "10m", prices: [{ from: at(0), price: 1 }] }],
  ["prices/import", { duration: "1h", prices: [{ from: at(0.1), price: 1 }] }],
  ["prices/import", { duration: "1h", prices: [{ from: "1970-01-01T00:00:00Z", price: 1 }] }],
  ["prices/import", { duration: "1h", prices: [{ from: "2099-01-01T00:00:00Z", price: 1 }] }],
  ["prices/import", { prices: [{ from: at(5), to: at(4), price: 1 }] }],
  ["prices/import", { duration: "31d", prices: Array.from({ length: 30 }, () => ({ from: at(0), price: 1 })) }],
  ["prices/import", { duration: "1h", prices: [{ from: at(0), price: 1e300 }] }],
])("PUT %s %j is refused", async (path, json) => {
  expect((await put(json, path)).status).toBe(400);
});

test("attacks: other sites, low levels, unknown kinds and endless ranges give and change nothing", async () => {
  const tariff = { currency: "EUR", versions: [{ import: { type: "fixed", price: 0.3 } }] };
  const foreign = busbar.as(await busbar.token({ level: "installer", site_ids: [empty] }));
  const low = busbar.as(await busbar.token({ level: "user" }));
  const prices = { duration: "1h", prices: [{ from: at(0), price: 1 }] };
  expect((await put(tariff, "tariff", siteId, foreign)).status).toBe(404);
  expect((await put(prices, "prices/import", siteId, foreign)).status).toBe(404);
  expect((await foreign.get(`/v3/sites/${siteId}/tariff`)).status).toBe(404);
  expect((await foreign.get(`/v3/sites/${siteId}/prices/import`)).status).toBe(404);
  expect((await put(tariff, "tariff", siteId, low)).status).toBe(403);
  expect((await put(prices, "prices/import", siteId, low)).status).toBe(403);
  expect((await low.call("DELETE", `/v3/sites/${siteId}/tariff`)).status).toBe(403);
  expect((await put(prices, "prices/constructor")).status).toBe(404);
  const long = `/v3/sites/${siteId}/prices/import?from=0001-01-01T00:00:00Z&to=9999-01-01T00:00:00Z`;
  expect((await busbar.admin.get(long)).status).toBe(400);
  const endless = `/v3/sites/${siteId}/energy?from=0001-01-01T00:00:00Z&costs=true`;
  expect((await busbar.admin.get(endless)).status).toBe(400);
});

const env = () => ({ BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken });

test("CSV and Parquet have the figures of the JSON answer", async () => {
  await put({
    currency: "EUR",
    versions: [{ import: { type: "fixed", price: 0.3 }, export: { type: "fixed", price: 0 } }],
  });
  const { steps = [] } = await read(`${DAY}&step=hour`);
  const { out } = await runBusbar(["energy", "Farm", "--day", "2026-03-29", "--costs", "-o", "csv"], { env: env() });
  const [header = "", ...lines] = out.trim().split("\n");
  const names = header.split(",");
  expect(lines).toHaveLength(23);
  const cell = (line: string | undefined, name: string) => line?.split(",")[names.indexOf(name)];
  for (const [n, step] of steps.entries()) {
    const row = ["from", "from_grid", "cost_import", "cost_net", "is_complete", "solar"].map((name) =>
      cell(lines[n], name),
    );
    const wanted = [step.from, step.from_grid, step.costs?.import, step.costs?.net, step.is_complete, step.solar];
    expect(row).toEqual(wanted.map(String));
  }
  const path = `/v3/sites/${siteId}/energy${DAY}&step=hour`;
  const headers = { Accept: "application/vnd.apache.parquet", "X-Service-Auth-Token": busbar.adminToken };
  const file = await (await fetch(`${busbar.url}${path}`, { headers })).arrayBuffer();
  const rows = await parquetReadObjects({ file });
  expect(rows.map(({ cost_import, from_grid }) => [cost_import, from_grid])).toEqual(
    steps.map(({ costs, from_grid }) => [costs?.import, from_grid]),
  );
  expect(rows[0]?.["ts"]).toEqual(new Date(at(0)));
  const refused = await fetch(`${busbar.url}${path.replace("&step=hour", "")}`, { headers });
  expect(refused.status).toBe(400);
});

test("the command line sets, checks and shows tariffs, imports prices and shows costs to the digit", async () => {
  const folder = tempFolder();
  const file = join(folder, "tariff.yml");
  writeFileSync(
    file,
    "currency: EUR\nversions:\n  - import: {type: prices, name: spot}\n    export: {type: fixed, price: 0.1}\n",
  );
  expect((await runBusbar(["tariff", "check", file], { env: {} })).err).toContain(
    "the tariff is valid: EUR, 1 version",
  );
  expect((await runBusbar(["tariff", "set", "Farm", file], { env: env() })).code).toBe(0);
  expect((await runBusbar(["tariff", "show", "Farm"], { env: env() })).out).toContain('"name": "spot"');
  const prices = join(folder, "prices.csv");
  const lines = Array.from({ length: 23 }, (_, hour) => `${at(hour)},${hour * 10}`);
  writeFileSync(prices, ["start,EUR/MWh", ...lines].join("\n"));
  const words = [
    "tariff",
    "prices",
    "import",
    "Farm",
    prices,
    "--time",
    "start",
    "--price",
    "EUR/MWh",
    "--scale",
    "0.001",
  ];
  expect((await runBusbar(words, { env: env() })).out).toContain("stored 23 prices");
  const shown = await runBusbar(["tariff", "prices", "show", "Farm", "--from", at(0), "--to", at(2)], { env: env() });
  expect(shown.out).toContain("0.01");
  const { out } = await runBusbar(["energy", "Farm", "--day", "2026-03-29", "--costs", "--step", "hour"], {
    env: env(),
  });
  const { costs } = await read(DAY);
  expect(out).toContain(`${costs?.import?.toFixed(2)} EUR`);
  expect(costs?.import).toBe(Array.from({ length: 23 }, (_, hour) => hour * 4).reduce((a, b) => a + b) / 100);
  writeFileSync(file, "currency: EUR\nversions:\n  - import: {type: fixed}\n    base: {amount: -1, per: week}\n");
  const wrong = await runBusbar(["tariff", "check", file], { env: {} });
  expect(wrong.code).not.toBe(0);
  for (const place of ["/versions/0/import/price", "/versions/0/base/amount", "/versions/0/base/per"]) {
    expect(wrong.err).toContain(place);
  }
  expect((await runBusbar(["tariff", "remove", "Farm", "--yes"], { env: env() })).code).toBe(0);
  const without = await runBusbar(["energy", "Farm", "--costs"], { env: env() });
  expect(without.err).toContain("the site has no tariff");
});
