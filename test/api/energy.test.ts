// GET /v3/sites/{site_id}/energy and `busbar energy`: what devices measured, by profile, in the site's own days.
import { beforeAll, expect, test } from "vitest";
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const blueprint = (category: string, profile: string, telemetry: string) => `blueprint_spec: device/3.0
display_name: ${category}
category: ${category}
implements: [${profile}]
runtime: {type: embedded}
telemetry:
${telemetry}
`;
const float = (name: string, unit: string, more = "") =>
  `  ${name}: {type: float, unit: ${unit}, display_name: ${name}${more}}`;
const BLUEPRINTS = {
  pv: blueprint("solar-generators", "energy.pv.power", [float("ac_power", "kW"), float("pv_power", "W")].join("\n")),
  meter: blueprint(
    "power-meters",
    "energy.meter.grid",
    [float("grid_power", "W"), float("grid_energy_import", "kWh"), float("grid_energy_export", "kWh")].join("\n"),
  ),
  battery: blueprint("battery-systems", "energy.battery.power", float("dc_power", "W", ", aliases: [battery_power]")),
  charger: blueprint("electric-vehicles", "energy.ac.power", float("ac_power", "W", ", access_level: owner")),
  sensor: blueprint("sensors", "sensor.temperature", float("temperature", "Cel")),
};

interface Energy {
  readonly from: string;
  readonly to: string;
  readonly total: Readonly<Record<string, number | null>>;
  readonly peak_from_grid: { readonly power: number; readonly at: string } | null;
  readonly devices: readonly { readonly slug: string; readonly [field: string]: unknown }[];
  readonly now: Readonly<Record<string, number | null>>;
  readonly groups: Readonly<Record<string, number | null>>;
  readonly period: Readonly<Record<string, unknown>>;
  readonly steps?: readonly (Readonly<Record<string, number | null>> & {
    readonly from: string;
    readonly to: string;
  })[];
  readonly before?: Pick<Energy, "from" | "to" | "total" | "groups"> & { readonly is_cut: boolean };
}

let siteId = "";
let twoMeters = "";
let dipping = "";
const devices = new Map<string, Awaited<ReturnType<typeof connectFakeDevice>>>();
const DAY = "2026-03-29";
/** Midnight in Berlin of a day of 23 hours. */
const MIDNIGHT = Date.parse("2026-03-28T23:00:00Z") / 1000;

beforeAll(async () => {
  const made = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", {
    name: "Farm",
    timezone: "Europe/Berlin",
  });
  siteId = made.body.site.id;
  const second = { name: "Two meters", timezone: "Europe/Berlin" };
  twoMeters = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", second)).body.site.id;
  const third = { name: "Dip", timezone: "Europe/Berlin" };
  dipping = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", third)).body.site.id;
  const meters = {
    watts: blueprint("power-meters", "energy.meter.grid", float("grid_power", "W")),
    kilowatts: blueprint("power-meters", "energy.meter.grid", float("grid_power", "kW")),
  };
  for (const [slug, bytes] of Object.entries({ ...BLUEPRINTS, ...meters, restorer: BLUEPRINTS.meter })) {
    const uploaded = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
    const site_id = slug in meters ? twoMeters : slug === "restorer" ? dipping : siteId;
    const wanted = { name: slug, slug, site_id, blueprint_id: uploaded.body.blueprint.id };
    const { body } = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted);
    const config = `/v3/devices/${body.device_id}/generate_config`;
    const answer = await busbar.admin.post<{ config: FakeDeviceConfig }>(config, { protocol: "MQTT" });
    devices.set(slug, await connectFakeDevice(answer.body.config));
  }
  const send = async (slug: string, hour: number, values: object) =>
    await devices.get(slug)?.sendTelemetry({ timestamp: MIDNIGHT + hour * 3600, ...values });
  // Before midnight: what counters are compared with.
  await send("meter", -1, { grid_energy_import: 1000, grid_energy_export: 500 });
  for (let quarter = 0; quarter <= 23 * 4; quarter++) {
    const hour = quarter / 4;
    // 2 kW from 10 to 14 o'clock, of which the battery takes half until 12 and gives most of it back from 18 to 20.
    await send("pv", hour, { ac_power: hour >= 10 && hour < 14 ? 2 : 0 });
    await send("battery", hour, { dc_power: hour >= 10 && hour < 12 ? -1000 : hour >= 18 && hour < 20 ? 900 : 0 });
    await send("charger", hour, { ac_power: hour >= 12 && hour < 14 ? 1500 : 0 });
    await send("meter", hour, { grid_power: hour >= 20 && hour < 22 ? 3000 : hour >= 12 && hour < 14 ? -500 : 0 });
  }
  await send("meter", 22.5, { grid_energy_import: 1006, grid_energy_export: 501 });
  // A counter that comes back with an older value, and another one that begins anew at zero.
  for (const [minutes, imported, exported] of [
    [10, 50000.5, 700],
    [11, 50000.4, 0],
    [12, 50000.4, 0.5],
    [40, 50001.4, 2],
  ] as const) {
    await send("restorer", 5 + minutes / 60, { grid_energy_import: imported, grid_energy_export: exported });
  }
  // Each has its own highest quarter, and both together have another one.
  for (const [quarter, watts, kilowatts] of [
    [0, 500, 0],
    [1, 400, 0.3],
    [2, 0, 0.6],
  ] as const) {
    await send("watts", quarter / 4, { grid_power: watts });
    await send("kilowatts", quarter / 4, { grid_power: kilowatts });
  }
});

const read = async (query: string, session = busbar.admin, site = siteId) =>
  (await session.get<{ energy: Energy }>(`/v3/sites/${site}/energy${query}`)).body.energy;

test("a day has the energies of its devices, in total and one by one", async () => {
  const energy = await read(`?period=${DAY}`);
  expect([energy.from, energy.to]).toEqual(["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"]);
  expect(energy.total).toEqual({
    produced: 8000,
    used: 12800,
    self_used: 7000,
    from_grid: 6000,
    to_grid: 1000,
    charged: 2000,
    discharged: 1800,
    self_consumption: 0.875,
    self_sufficiency: 6.8 / 12.8,
  });
  const rows = energy.devices.map(({ slug, role, energy: forward, energy_back, basis, hours_known, hours }) =>
    [slug, role, forward, energy_back, basis, `${hours_known}/${hours}`].join(" "),
  );
  expect(rows.sort()).toEqual([
    "battery battery 1800 2000 power 23/23",
    "charger load 3000  power 23/23",
    "meter grid 6000 1000 counter 23/23",
    "pv production 8000  power 23/23",
  ]);
  expect(energy.peak_from_grid).toEqual({ power: 3000, at: "2026-03-29T19:00:00.000Z" });
});

const GROUPS = [
  ...["solar", "production", "from_grid", "to_grid", "charged", "discharged"],
  ...["car", "hydrogen", "load", "rest", "used"],
];

test("steps follow the site's clock and add up to the whole, by group", async () => {
  const energy = await read(`?period=${DAY}&step=hour`);
  expect(energy.steps).toHaveLength(23);
  expect(energy.groups).toEqual({
    ...{ solar: 8000, production: 0, from_grid: 6000, to_grid: 1000, charged: 2000, discharged: 1800 },
    ...{ car: 3000, hydrogen: 0, load: 0, rest: 9800, used: 12800 },
  });
  for (const unit of ["hour", "day", "week", "month", "year"]) {
    const { steps = [], groups } = await read(`?period=2026-03&step=${unit}`);
    for (const group of GROUPS.filter((one) => one !== "rest" && one !== "used")) {
      const sum = steps.reduce((total, step) => total + (step[group] ?? 0), 0);
      expect([unit, group, sum]).toEqual([unit, group, groups[group]]);
    }
  }
  const noon = energy.steps?.find(({ from }) => from === "2026-03-29T11:00:00.000Z");
  expect(noon).toMatchObject({ solar: 2000, car: 1500, hours_known: 1, hours: 1, is_complete: true, doubtful: 0 });
});

test("a week has the seven days of the calendar, and nothing is made up for those without values", async () => {
  const { period, steps = [] } = await read("?period=2026-W13&step=day");
  expect(period).toEqual({
    ...{ kind: "week", name: "2026-W13", is_running: false },
    ...{ from: "2026-03-22T23:00:00.000Z", to: "2026-03-29T22:00:00.000Z" },
  });
  expect(steps.map(({ solar, is_complete }) => [solar, is_complete])).toEqual([
    ...Array.from({ length: 6 }, () => [null, false]),
    [8000, true],
  ]);
});

test("the period before is of the same kind, and is cut where the period itself still runs", async () => {
  const { before } = await read("?period=2026-03-30&before=true");
  expect(before).toMatchObject({ from: "2026-03-28T23:00:00.000Z", to: "2026-03-29T22:00:00.000Z", is_cut: false });
  expect([before?.total["produced"], before?.groups["car"]]).toEqual([8000, 3000]);
  const running = await read("?period=this_year&before=true");
  expect([running.period["is_running"], running.before?.is_cut]).toEqual([true, true]);
  expect((await read("?period=2026-03-30")).before).toBeUndefined();
});

test("the peak of several meters is that of their sum, whatever their units", async () => {
  const energy = await read(`?period=${DAY}`, busbar.admin, twoMeters);
  expect(energy.peak_from_grid).toEqual({ power: 700, at: "2026-03-28T23:15:00.000Z" });
});

test("what people say about meters counts: a load is no grid, and a meter before a producer measures the other direction", async () => {
  const say = async (slug: string, energy_role: string) =>
    expect((await busbar.admin.patch(`/v3/devices/${slug}`, { energy_role })).status).toBe(200);
  const roles = async () => {
    const energy = await read(`?period=${DAY}`, busbar.admin, twoMeters);
    return {
      peak: energy.peak_from_grid?.power,
      roles: energy.devices.map(({ slug, role }) => `${slug} ${role}`).sort(),
    };
  };
  await say("kilowatts", "load");
  expect(await roles()).toEqual({ peak: 500, roles: ["kilowatts load", "watts grid"] });
  await say("kilowatts", "none");
  expect(await roles()).toEqual({ peak: 500, roles: ["watts grid"] });
  await say("kilowatts", "auto");
  await say("watts", "grid");
  expect(await roles()).toEqual({ peak: 500, roles: ["watts grid"] });
  await say("kilowatts", "grid");
  expect(await roles()).toEqual({ peak: 700, roles: ["kilowatts grid", "watts grid"] });
  // The meter of the farm exported 1 kWh by its counter: before a producer, that is what was produced.
  await say("meter", "production");
  const farm = (await read(`?period=${DAY}`)).devices.find(({ slug }) => slug === "meter");
  expect(farm).toMatchObject({ role: "production", energy: 1000 });
  await say("meter", "battery");
  const battery = (await read(`?period=${DAY}`)).devices.find(({ slug }) => slug === "meter");
  // 500 W that the meter gave for two hours were discharged, and 3 kW that it took for two hours were charged.
  expect(battery).toMatchObject({ role: "battery", energy: 1000, energy_back: 6000 });
  for (const slug of ["kilowatts", "watts", "meter"]) await say(slug, "auto");
  expect((await roles()).peak).toBe(700);
});

test("a counter that dips adds no more than it rose: to the day, the month, the site, and parts of the day", async () => {
  const total = async (query: string) => (await read(query, busbar.admin, dipping)).total;
  for (const query of [`?period=${DAY}`, "?period=2026-03", "?period=2026"]) {
    const { from_grid, to_grid } = await total(query);
    expect([query, from_grid, to_grid]).toEqual([query, expect.closeTo(900, 5), expect.closeTo(2000, 5)]);
  }
  // Cut in the dip, the parts add up.
  const at = (minutes: number) => new Date((MIDNIGHT + 5 * 3600 + minutes * 60) * 1000).toISOString();
  const parts = [`?from=${at(0)}&to=${at(11.5)}`, `?from=${at(11.5)}&to=${at(30)}`, `?from=${at(30)}&to=${at(60)}`];
  const sums = [];
  for (const part of parts) sums.push((await total(part))["from_grid"]);
  expect(sums).toEqual([0, 0, expect.closeTo(900, 5)]);
});

test("doubtful steps of counters are listed with device, time and values, and the points stay", async () => {
  const send = async (minutes: number, grid_energy_import: number) =>
    await devices
      .get("restorer")
      ?.sendTelemetry({ timestamp: MIDNIGHT + 12 * 3600 + minutes * 60, grid_energy_import });
  for (const [minutes, value] of [
    [0, 50002],
    [1, 20000],
    [2, 50003],
    [3, 90000],
  ] as const) {
    await send(minutes, value);
  }
  const at = (minutes: number) => new Date((MIDNIGHT + 12 * 3600 + minutes * 60) * 1000).toISOString();
  const step = { slug: "restorer", attribute: "grid_energy_import" };
  type Doubts = { readonly doubtful: readonly object[]; readonly doubtful_cut: boolean };
  const energy = (await read(`?period=${DAY}`, busbar.admin, dipping)) as Energy & Doubts;
  expect(energy.doubtful).toMatchObject([
    { ...step, kind: "fall", before: 50002, before_at: at(0), value: 20000, at: at(1) },
    { ...step, kind: "rise", before: 50003, before_at: at(2), value: 90000, at: at(3) },
  ]);
  expect(energy.doubtful_cut).toBe(false);
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const { err } = await runBusbar(["energy", "Dip", "--day", DAY], { env });
  expect(err).toContain(`doubtful: restorer grid_energy_import fell from 50002 to 20000 at ${at(1)}`);
});

test("a period that has not ended is given up to now", async () => {
  const before = new Date().toISOString();
  const { from, to, devices } = await read("?period=today");
  const after = new Date().toISOString();
  expect([before <= to, to <= after]).toEqual([true, true]);
  const passed = (Date.parse(to) - Date.parse(from)) / 3_600_000;
  // Berlin is whole hours away from UTC, so only the last hour is a part of one.
  for (const { hours } of devices) expect(hours).toBe(Math.ceil(passed));
});

test("months, years and any range add up to the same", async () => {
  for (const query of ["?period=2026-03", "?period=2026", "?from=2026-03-28T23:00:00Z&to=2026-03-29T22:00:00Z"]) {
    expect((await read(query)).total["produced"]).toBe(8000);
  }
});

test("what is not known is null, and old powers are not those of now", async () => {
  const energy = await read("?period=2026-03-20");
  expect(energy.total).toMatchObject({ produced: null, used: null, from_grid: null, charged: null });
  expect(energy.devices.map(({ energy: forward, basis, hours_known }) => [forward, basis, hours_known])).toEqual(
    energy.devices.map(() => [null, null, 0]),
  );
  expect([energy.peak_from_grid, energy.now]).toEqual([
    null,
    { production: null, battery: null, grid: null, load: null },
  ]);
});

test("what flows now adds up: a battery that discharges gives to the site, as the grid does", async () => {
  const watts = { pv: { ac_power: 5 }, battery: { dc_power: -1500 }, meter: { grid_power: -2000 } };
  for (const [slug, values] of Object.entries(watts)) await devices.get(slug)?.sendTelemetry(values);
  expect((await read("?period=today")).now).toEqual({ production: 5000, battery: -1500, grid: -2000, load: 1500 });
  await devices.get("battery")?.sendTelemetry({ dc_power: 700 });
  expect((await read("?period=today")).now).toMatchObject({ battery: 700, load: 3700 });
});

test("attributes above the caller's level reveal nothing", async () => {
  const reader = busbar.as(await busbar.token({ level: "readonly" }));
  expect((await read(`?period=${DAY}`, reader)).devices.map(({ slug }) => slug)).not.toContain("charger");
});

test.each([
  ["?period=soon", "period"],
  ["?period=2026-02-30", "period"],
  ["?period=today&from=2026-03-28T23:00:00Z", "period"],
  ["?period=2026&step=hour", "step"],
  ["?period=2026&step=decade", "step"],
  ["?period=2026&before=perhaps", "before"],
  ["?to=2026-03-28T23:00:00Z", "from"],
  ["?from=2026-03-28T23:00:00Z&to=2026-03-28T23:00:00Z", "from"],
])("%s is refused", async (query, parameter) => {
  const { status, errors } = await busbar.admin.get(`/v3/sites/${siteId}/energy${query}`);
  expect([status, errors[0]?.details]).toEqual([400, { parameter }]);
});

test("the command line shows it, and names what is missing", async () => {
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const { code, out } = await runBusbar(["energy", "Farm", "--day", DAY], { env });
  expect(code).toBe(0);
  for (const text of ["8.00 kWh", "12.80 kWh", "7.00 kWh (88 % of the production)", "3.00 kW at 2026-03-29 21:00"]) {
    expect(out).toContain(text);
  }
  const json = await runBusbar(["energy", "Farm", "--month", "2026-03", "-o", "json"], { env });
  expect(JSON.parse(json.out).energy.total.produced).toBe(8000);
  const { err } = await runBusbar(["energy", "Farm", "--day", "2026-03-20"], { env });
  expect(err).toContain("meter sent nothing in this period");
});
