// POST, GET and DELETE /v3/devices/{device_id}/counter_corrections, and `busbar correction`: people say what doubtful steps
// of counters were, and the energies follow.
import { beforeAll, expect, test } from "vitest";
import { MAX_CORRECTIONS } from "#core/energy/counter-correction.ts";
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const METER = `blueprint_spec: device/3.0
display_name: Meter
category: power-meters
runtime: {type: embedded}
telemetry:
  grid_power: {type: float, unit: W, display_name: Power}
  grid_energy_import: {type: float, unit: kWh, display_name: Import}
  grid_energy_export: {type: float, unit: kWh, display_name: Export, access_level: installer}
`;

interface Energy {
  readonly total: { readonly from_grid: number };
  readonly devices: readonly { readonly energy: number }[];
  readonly doubtful: readonly {
    readonly attribute: string;
    readonly kind: string;
    readonly at: string;
    readonly value: number;
  }[];
  readonly corrections: readonly { readonly adjustment: number | null; readonly [field: string]: unknown }[];
}

const START = Date.parse("2026-03-10T12:00:00Z");
const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const attribute = "grid_energy_import";
let siteId = "";
let deviceId = "";
let device: Awaited<ReturnType<typeof connectFakeDevice>>;

const send = async (minutes: number, values: object) =>
  await device.sendTelemetry({ timestamp: START / 1000 + minutes * 60, ...values });

async function newMeter(site: string, slug: string, blueprint: string) {
  const wanted = { name: slug, slug, site_id: site, blueprint_id: blueprint };
  const { body } = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted);
  const path = `/v3/devices/${body.device_id}/generate_config`;
  const answer = await busbar.admin.post<{ config: FakeDeviceConfig }>(path, { protocol: "MQTT" });
  return { id: body.device_id, connected: await connectFakeDevice(answer.body.config) };
}

beforeAll(async () => {
  const made = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Farm", timezone: "UTC" });
  siteId = made.body.site.id;
  const uploaded = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: METER,
  });
  const meter = await newMeter(siteId, "meter", uploaded.body.blueprint.id);
  [deviceId, device] = [meter.id, meter.connected];
  for (const [minutes, value] of [
    [-1, 50_000],
    [0, 50_002],
    [1, 90_000],
    [2, 90_001],
    // Another counter; nothing counts for an hour.
    [200, 20_000],
    [270, 20_000],
    [271, 20_003],
  ] as const) {
    await send(minutes, { grid_energy_import: value, grid_energy_export: value });
  }
});

const energyOf = async (query: string, session = busbar.admin) =>
  (await session.get<{ energy: Energy }>(`/v3/sites/${siteId}/energy${query}`)).body.energy;
const path = (id = deviceId, rest = "") => `/v3/devices/${id}/counter_corrections${rest}`;
const correct = async (body: object, { session = busbar.admin, id = deviceId } = {}) =>
  await session.post<{ correction: { id: string; [field: string]: unknown } }>(path(id), body);
const withdraw = async (id: string) =>
  expect((await busbar.admin.call("DELETE", path(deviceId, `/${id}`))).status).toBe(200);
const fromGrid = async (query: string) => (await energyOf(query)).total.from_grid / 1000;
const doubtful = async (query: string) =>
  (await energyOf(query)).doubtful.filter((step) => step.attribute === attribute);
const PERIODS = ["?period=2026-03-10", "?period=2026-03", "?period=2026"];

test("a correction changes day, month, year, site and device alike, and withdrawing it brings the points' sum back", async () => {
  const raw = 2 + 39_998 + 1 + 3;
  for (const period of PERIODS) expect(await fromGrid(period)).toBeCloseTo(raw, 6);
  expect(await doubtful("?period=2026-03-10")).toMatchObject([
    { kind: "rise", at: at(1), value: 90_000 },
    { kind: "fall", at: at(200), value: 20_000 },
  ]);
  const rows: readonly (readonly [object, number])[] = [
    [{ at: at(1), kind: "value_wrong" }, -39_998],
    [{ at: at(1), kind: "counter_replaced", new_start: 89_990 }, 10 - 39_998],
    [{ at: at(1), kind: "accept" }, 0],
    [{ at: at(200), kind: "counter_replaced", new_start: 19_994.5 }, 5.5],
    [{ at: at(200), kind: "counter_replaced" }, 0],
  ];
  for (const [body, adjustment] of rows) {
    const { status, body: answer } = await correct({ attribute, ...body, note: "why" });
    expect([status, body]).toEqual([200, body]);
    for (const period of PERIODS) {
      const energy = await energyOf(period);
      expect(energy.total.from_grid / 1000).toBeCloseTo(raw + adjustment, 6);
      expect((energy.devices[0]?.energy ?? 0) / 1000).toBeCloseTo(raw + adjustment, 6);
      expect(await doubtful(period)).toHaveLength(1);
      expect(energy.corrections).toEqual([
        { device_id: deviceId, slug: "meter", ...answer.correction, adjustment: expect.closeTo(adjustment * 1000, 3) },
      ]);
    }
    // The parts of a day add up, wherever they are cut.
    const parts = [await fromGrid(`?from=${at(-60)}&to=${at(1)}`), await fromGrid(`?from=${at(1)}&to=${at(300)}`)];
    expect((parts[0] ?? 0) + (parts[1] ?? 0)).toBeCloseTo(raw + adjustment, 6);
    await withdraw(answer.correction.id);
    expect(await fromGrid("?period=2026-03")).toBeCloseTo(raw, 6);
  }
});

test("a correction says who made it and when, is in the audit log, and leaves points and time series as they are", async () => {
  const owner = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", { name: "Olga", level: "owner" });
  const before = new Date().toISOString();
  const { body } = await correct(
    { attribute, at: at(1), kind: "value_wrong" },
    { session: busbar.as(owner.body.token) },
  );
  expect(body.correction).toMatchObject({
    before: 50_002,
    before_at: at(0),
    value: 90_000,
    author: { token_id: owner.body.id, name: "Olga" },
  });
  expect(String(body.correction["created_at"]) >= before).toBe(true);
  const listed = await busbar.admin.get<{ corrections: object[]; total_count: number }>(path());
  expect(listed.body).toEqual({ corrections: [body.correction], total_count: 1 });
  const asked = { from: at(-60), to: at(300), granularity: "6h", aggregation: "delta" };
  const series = await busbar.admin.call("POST", "/telemetry/v1/timeseries", {
    json: { ...asked, telemetry: [{ device: deviceId, attribute }] },
  });
  expect(JSON.stringify(series.body) + series.text).toContain("40004");
  await withdraw(body.correction.id);
  const audit = await busbar.admin.get<{ entries: { action: string; details: object }[] }>(
    "/v3/audit?action.in=createCounterCorrection,deleteCounterCorrection&limit=2",
  );
  expect(JSON.stringify(audit.body)).toContain(body.correction.id);
});

test("a step has one correction; a second one names it", async () => {
  const { body } = await correct({ attribute, at: at(200), kind: "accept" });
  const again = await correct({ attribute, at: at(200), kind: "value_wrong" });
  expect([again.status, again.errors[0]?.code]).toEqual([409, "conflict"]);
  expect(again.errors[0]?.message).toContain(body.correction.id);
  await withdraw(body.correction.id);
});

test("a correction whose points have changed adds nothing, and the step is doubtful again", async () => {
  const { body } = await correct({ attribute, at: at(1), kind: "value_wrong" });
  await send(1, { grid_energy_import: 95_000 });
  const energy = await energyOf("?period=2026-03-10");
  expect(energy.corrections).toMatchObject([{ id: body.correction.id, adjustment: null }]);
  expect(energy.doubtful.map(({ at }) => at)).toContain(at(1));
  expect(energy.total.from_grid).toBeGreaterThan(40_000_000);
  await send(1, { grid_energy_import: 90_000 });
  expect(await fromGrid("?period=2026-03-10")).toBeCloseTo(6, 6);
  await withdraw(body.correction.id);
});

test("the command line corrects, lists and withdraws", async () => {
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const step = ["meter", attribute, at(200)];
  const flags = ["--as", "counter-replaced", "--new-start", "19990", "--note", "new meter"];
  const asked = await runBusbar(["correction", "create", ...step, ...flags], { env });
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining("--yes")]);
  const made = await runBusbar(["correction", "create", ...step, ...flags, "--yes"], { env });
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining("from 90001 to 20000") });
  const { err } = await runBusbar(["energy", "Farm", "--day", "2026-03-10"], { env });
  expect(err).toContain(`corrected: meter ${attribute} from 90001 to 20000 at ${at(200)}: counter replaced, 10.00 kWh`);
  const listed = await runBusbar(["correction", "list", "meter", "-o", "json"], { env });
  const [correction] = JSON.parse(listed.out).corrections;
  expect(correction).toMatchObject({ kind: "counter_replaced", new_start: 19_990, note: "new meter" });
  const gone = await runBusbar(["correction", "delete", "meter", correction.id, "--yes"], { env });
  expect(gone.code).toBe(0);
});

test("attacks: nothing is stored of what is forged, foreign, above the level, or not there", async () => {
  const step = { attribute, at: at(1), kind: "value_wrong" };
  const as = async (level: string, sites?: readonly string[]) =>
    busbar.as(await busbar.token({ level, ...(sites && { site_ids: sites }) }));
  const other = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Other" });
  const [user, owner] = [await as("user"), await as("owner", [siteId])];
  const stranger = await as("vendor", [other.body.site.id]);
  const bodies: readonly (readonly [object, number])[] = [
    // Values, author and sums are the server's.
    [{ ...step, before: 0, value: 1e12 }, 400],
    [{ ...step, adjustment: -1e12 }, 400],
    [{ ...step, author: { token_id: "x", name: "Somebody else" } }, 400],
    [{ ...step, kind: "delete_everything" }, 400],
    [{ ...step, kind: "counter_replaced", new_start: -1e12 }, 400],
    [{ ...step, kind: "counter_replaced", new_start: 90_000.001 }, 400],
    [{ ...step, new_start: 5 }, 400],
    [{ ...step, note: "n".repeat(501) }, 400],
    [{ ...step, note: "a\u0000b" }, 400],
    [{ ...step, at: "yesterday" }, 400],
    [{ ...step, attribute: "x".repeat(201) }, 400],
    // Steps that are not there: a rise as any other, no point at all, the far future, another attribute.
    [{ ...step, at: at(0) }, 404],
    [{ ...step, at: at(1.5) }, 404],
    [{ ...step, at: "9999-12-31T23:59:59.999Z" }, 404],
    [{ ...step, at: "0001-01-01T00:00:00Z" }, 404],
    [{ ...step, attribute: "grid_power" }, 404],
    [{ ...step, attribute: "constructor" }, 404],
    // The level of the attribute is installer.
    [{ ...step, attribute: "grid_energy_export" }, 404],
  ];
  for (const [body, expected] of bodies) {
    const { status } = await correct(body, { session: owner });
    expect([body, status]).toEqual([body, expected]);
  }
  expect((await correct(step, { session: user })).status).toBe(403);
  expect((await correct(step, { session: stranger })).status).toBe(404);
  expect((await correct(step, { session: busbar.anonymous })).status).toBe(401);
  expect((await user.get(path())).status).toBe(403);
  expect((await stranger.get(path())).status).toBe(404);
  expect((await busbar.admin.get<{ total_count: number }>(path())).body.total_count).toBe(0);
  // What an installer said about its counter, an owner neither sees nor withdraws.
  const hidden = await correct({ ...step, attribute: "grid_energy_export" });
  const id = hidden.body.correction.id;
  expect((await owner.get<{ total_count: number }>(path())).body.total_count).toBe(0);
  expect((await energyOf("?period=2026-03-10", owner)).corrections).toEqual([]);
  for (const [session, expected] of [
    [owner, 404],
    [user, 403],
    [stranger, 404],
  ] as const) {
    expect((await session.call("DELETE", path(deviceId, `/${id}`))).status).toBe(expected);
  }
  await withdraw(id);
});

test("an attacker who corrects all steps of a jumping counter is stopped at the limit, and the energies are still read", async () => {
  // Each rise is more than a device can deliver.
  const minutes = Array.from({ length: MAX_CORRECTIONS + 1 }, (_, n) => 1000 + n / 10);
  for (const [n, minute] of minutes.entries()) await send(minute, { grid_energy_import: 1_000_000 * (n + 1) });
  const statuses: number[] = [];
  for (const minute of minutes) {
    statuses.push((await correct({ attribute, at: at(minute), kind: "value_wrong" })).status);
  }
  expect(statuses).toEqual([...Array.from({ length: MAX_CORRECTIONS }, () => 200), 409]);
  const energy = await energyOf("?period=2026-03");
  expect(energy.corrections).toHaveLength(MAX_CORRECTIONS);
  // All but the last of them count nothing any more.
  expect(energy.total.from_grid / 1000).toBeCloseTo(2 + 39_998 + 1 + 3 + 1_000_000, 3);
});
