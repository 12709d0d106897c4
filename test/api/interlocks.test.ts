// Interlocks: limits of a site that hold whatever anybody claims or commands.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, commandsOf, connected, makeCommandSite, upload } from "../support/command-site.ts";
import type { FakeDevice } from "../support/fake-device.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { useServer } from "../support/server.ts";

const clocks = createMovableClocks();
const busbar = useServer(["--mqtt-port", "0"], { clocks });

const CHARGER = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: kW, display_name: Power}
  temperature: {type: float, unit: Cel, display_name: Temperature, access_level: installer}
  dimmed: {type: boolean, display_name: Dimmed}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: kW, min: 0, max: 11, required: true, display_name: Power}
.busbar:
  controls:
    power: {command: set_power, argument: power, unit: W, reads: power, fallback: {value: max}}
`;

interface State {
  readonly revision: number;
  readonly state: string;
  readonly why: string;
  readonly limits: readonly { readonly value: number; readonly kind: string; readonly is_holding: boolean }[];
  readonly measured: readonly { readonly value: unknown }[];
}

interface Wire {
  readonly value: number | null;
  readonly upper_bound: number | null;
  readonly limited_by: readonly { readonly source: string; readonly class: string; readonly reason: string }[];
}

let site: CommandSite;
let blueprintId = "";
let path = "";

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Interlocks");
  blueprintId = await upload(busbar, CHARGER);
  path = `/v3/sites/${site.siteId}/interlocks`;
});

async function makeCharger(name: string) {
  const id = await site.device(name, { blueprint_id: blueprintId });
  const device: FakeDevice = await connected(await site.configOf(id));
  device.onCommand(async (command) => {
    await command.completed();
    await device.sendTelemetry({ power: command.arguments["power"] });
  });
  const controlPath = `/v3/devices/${id}/controls/power`;
  const read = async () => (await busbar.admin.get<{ control: Wire }>(controlPath)).body.control;
  const claim = (value: number, fields: object = {}) =>
    busbar.admin.post(`${controlPath}/claims`, { value, reason: "test", ...fields });
  const powers = () => device.commands.map((command) => command.arguments["power"]);
  const alerts = async () => {
    const { body } = await busbar.admin.get<{ alerts: { id: string }[] }>(`/v3/devices/${id}/alerts`);
    return body.alerts.map((alert) => alert.id);
  };
  return { id, device, read, claim, powers, alerts };
}

const put = (name: string, document: object, headers: Record<string, string> = {}) =>
  busbar.admin.put<{ interlock: State }>(`${path}/${name}`, document, { headers });
const get = async (name: string) => (await busbar.admin.get<{ interlock: State }>(`${path}/${name}`)).body.interlock;
const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 30_000, interval: 100 });

const hot = (charger: string, sensor = charger) => ({
  kind: "condition",
  display_name: "Too hot",
  when: { device: sensor, attribute: "temperature", above: 40, hysteresis: 2 },
  stale_after: "1h",
  limits: [{ device: charger, control: "power", max: 0 }],
});

test("claims are limited, and a command beyond the limit is refused with the name and the allowed value", async () => {
  const { id, device, read, claim, powers, alerts } = await makeCharger("charger-1");
  await device.sendTelemetry({ temperature: 20, power: 3 });
  const four = { name: "set_power", arguments: { power: 4 } };
  const once = { headers: { "Idempotency-Key": "four" } };
  const before = await commandsOf(busbar.admin, id).execute(four, once);
  await eventually(async () => expect(await read()).toMatchObject({ value: 4_000 }));
  await claim(5_000);
  await eventually(() => expect(powers()).toEqual([4, 5]));
  expect((await put("hot", hot("charger-1"))).body.interlock).toMatchObject({ revision: 1, limits: [] });
  await device.sendTelemetry({ temperature: 41 });
  await eventually(() => expect(powers()).toEqual([4, 5, 0]));
  expect(await get("hot")).toMatchObject({ state: "holding", limits: [{ kind: "max", value: 0, is_holding: true }] });
  expect(await read()).toMatchObject({
    value: 0,
    upper_bound: 0,
    limited_by: [
      { source: "interlock:hot", class: "interlock", reason: "Too hot: temperature of charger-1 is above 40" },
    ],
  });
  const refused = await commandsOf(busbar.admin, id).execute(four);
  expect(refused.status).toBe(409);
  // Who repeats the call from before gets its execution.
  expect((await commandsOf(busbar.admin, id).execute(four, once)).body).toEqual(before.body);
  expect(refused.body).toMatchObject({
    errors: [
      { code: "interlocked", details: { interlock: "hot", control: "power", argument: "power", allowed: 0, max: 0 } },
    ],
  });
  const created = await commandsOf(busbar.admin, id).create({ name: "set_power", arguments: { power: 4 } });
  expect(created.status).toBe(409);
  const allowed = await commandsOf(busbar.admin, id).execute({ name: "set_power", arguments: { power: 0 } });
  expect(allowed.body.execution.state).toBe("SUCCESS");
  await eventually(async () => expect(await alerts()).toEqual(["interlock_holds"]));
  await device.sendTelemetry({ temperature: 37 });
  await eventually(async () => expect(await alerts()).toEqual([]));
  expect((await commandsOf(busbar.admin, id).execute({ name: "set_power", arguments: { power: 4 } })).status).toBe(200);
  expect(powers()).not.toContain(undefined);
  await busbar.admin.delete(`${path}/hot`);
});

test("a device that nobody claims is told the limit, and given back afterwards", async () => {
  const { device, powers } = await makeCharger("charger-2");
  await device.sendTelemetry({ temperature: 45, power: 8 });
  await put("alone", { ...hot("charger-2"), limits: [{ device: "charger-2", control: "power", max: 2000 }] });
  await eventually(() => expect(powers()).toEqual([2]));
  await device.sendTelemetry({ temperature: 30 });
  // The fallback.
  await eventually(() => expect(powers()).toEqual([2, 11]));
  await busbar.admin.delete(`${path}/alone`);
});

test("without a measurement the limit holds, and it is said that nothing is seen", async () => {
  const { id, device, alerts, powers } = await makeCharger("charger-3");
  await device.sendTelemetry({ power: 8 });
  // The device is new: its first temperature may be on its way.
  await put("blind", { ...hot("charger-3"), stale_after: "1s" });
  const why = "the first value of temperature of charger-3 has not come yet";
  expect(await get("blind")).toMatchObject({ state: "waiting", why, limits: [{ value: 0, is_holding: false }] });
  const early = await commandsOf(busbar.admin, id).execute({ name: "set_power", arguments: { power: 1 } });
  expect(early.body).toMatchObject({ errors: [{ code: "interlocked", details: { interlock: "blind", allowed: 0 } }] });
  expect([await alerts(), powers()]).toEqual([[], []]);
  await device.sendTelemetry({ temperature: 30 });
  await eventually(async () => expect(await alerts()).toEqual(["interlock_blind"]));
  expect(await get("blind")).toMatchObject({ state: "blind", why: "temperature of charger-3 is unknown" });
  expect((await commandsOf(busbar.admin, id).execute({ name: "set_power", arguments: { power: 1 } })).status).toBe(409);
  await busbar.admin.delete(`${path}/blind`);
});

test("a connection: claims share what is left, and a command that is too much is refused", async () => {
  const { id, device, claim, powers } = await makeCharger("charger-4");
  const meter = await makeCharger("meter-4");
  await device.sendTelemetry({ power: 0 });
  await meter.device.sendTelemetry({ power: 6 });
  const made = await put("grid", {
    kind: "connection",
    meter: { device: "meter-4", attribute: "power" },
    max_import: 10_000,
    stale_after: "1h",
    loads: [{ device: "charger-4", control: "power" }],
  });
  expect(made.body.interlock).toMatchObject({ state: "idle", limits: [{ value: 4_000, is_holding: false }] });
  const refused = await commandsOf(busbar.admin, id).execute({ name: "set_power", arguments: { power: 5 } });
  expect(refused.body).toMatchObject({ errors: [{ code: "interlocked", details: { interlock: "grid", allowed: 4 } }] });
  await claim(9_000);
  await eventually(() => expect(powers()).toEqual([4]));
  await meter.device.sendTelemetry({ power: 12 });
  await eventually(() => expect(powers()).toEqual([4, 2]));
  await busbar.admin.delete(`${path}/grid`);
});

test("a contact of the grid operator: failsafe at the start, limits, and failsafe again when it falls silent", async () => {
  const { device, read, alerts } = await makeCharger("charger-5");
  await device.sendTelemetry({ power: 0, dimmed: false });
  const document = {
    kind: "grid_signal",
    from: { device: "charger-5", attribute: "dimmed" },
    limits: [{ device: "charger-5", control: "power", max: 4_200 }],
    failsafe: [{ device: "charger-5", control: "power", max: 1_400 }],
  };
  expect((await put("dim", document)).body.interlock).toMatchObject({ state: "init", limits: [{ value: 1_400 }] });
  const says = async (dimmed: boolean, state: string) => {
    clocks.advance(1_000);
    await device.sendTelemetry({ dimmed });
    await eventually(async () => expect(await get("dim")).toMatchObject({ state }));
  };
  await says(true, "limited");
  expect(await read()).toMatchObject({ upper_bound: 4_200, limited_by: [{ class: "grid" }] });
  await says(false, "unlimited");
  clocks.advance(121_000);
  await eventually(async () => expect(await get("dim")).toMatchObject({ state: "failsafe" }));
  expect(await read()).toMatchObject({ upper_bound: 1_400 });
  await eventually(async () => expect(await alerts()).toContain("grid_failsafe"));
  await busbar.admin.delete(`${path}/dim`);
  await eventually(async () => expect(await alerts()).not.toContain("grid_failsafe"));
});

test("everything that is wrong is said at once, and revisions protect changes", async () => {
  const { device } = await makeCharger("charger-6");
  await device.sendTelemetry({ temperature: 20 });
  const wrong = { ...hot("charger-6", "nobody"), limits: [{ device: "charger-6", control: "x", max: 0 }] };
  const refused = await put("six", wrong);
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({
    errors: [
      { code: "invalid_body", details: { pointer: "/when/device", problem: "unknown_device" } },
      { code: "invalid_body", details: { pointer: "/limits/0/control", problem: "unknown_control" } },
    ],
  });
  const check = await busbar.admin.post<{ is_valid: boolean; problems: { pointer: string }[] }>(`${path}/check`, wrong);
  expect(check.body.is_valid).toBe(false);
  expect(check.body.problems.map(({ pointer }) => pointer)).toEqual(["/when/device", "/limits/0/control"]);
  expect((await busbar.admin.post(`${path}/check`, hot("charger-6"))).body).toEqual({ is_valid: true, problems: [] });
  expect((await put("six", hot("charger-6"), { "If-Match": "0" })).status).toBe(200);
  expect((await put("six", hot("charger-6"), { "If-Match": "0" })).status).toBe(409);
  expect((await put("six", hot("charger-6"), { "If-Match": '"1"' })).body.interlock.revision).toBe(2);
  expect((await put("six", hot("charger-6"), { "If-Match": "new" })).status).toBe(400);
  expect((await busbar.admin.delete(`${path}/six`, { headers: { "If-Match": "1" } })).status).toBe(409);
  expect((await put("Bad Name", hot("charger-6"))).status).toBe(400);
  for (const body of [
    {},
    { kind: "condition", when: null },
    { ...hot("charger-6"), limits: Array(4_000).fill({ device: "a", control: "b", max: 0 }) },
    { ...hot("charger-6"), hold_for: "x".repeat(100_000) },
    { ...hot("charger-6"), extra: 1 },
  ]) {
    expect((await put("bad", body)).status).toBe(400);
    expect((await busbar.admin.post(`${path}/check`, body)).body).toMatchObject({ is_valid: false });
  }
  await busbar.admin.delete(`${path}/six`);
});

test("who may not read an attribute does not see what was measured, and only owners change anything", async () => {
  const { device } = await makeCharger("charger-7");
  await device.sendTelemetry({ temperature: 20 });
  await put("seven", hot("charger-7"));
  await eventually(async () => expect(await get("seven")).toMatchObject({ measured: [{ value: 20 }] }));
  const as = async (level: string, site_ids: readonly string[]) => busbar.as(await busbar.token({ level, site_ids }));
  const user = await as("user", [site.siteId]);
  const seen = await user.get<{ interlock: State }>(`${path}/seven`);
  expect(seen.body.interlock).toMatchObject({ state: "idle", measured: [{ value: null, at: null }] });
  expect(JSON.stringify(seen.body)).not.toContain("20,");
  expect((await user.put(`${path}/seven`, hot("charger-7"))).status).toBe(403);
  expect((await user.delete(`${path}/seven`)).status).toBe(403);
  expect((await user.post(`${path}/check`, hot("charger-7"))).status).toBe(403);
  const other = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Other" })).body.site.id;
  const stranger = await as("installer", [other]);
  expect((await stranger.get(`${path}/seven`)).status).toBe(404);
  expect((await stranger.put(`${path}/seven`, hot("charger-7"))).status).toBe(404);
  // A device of another site does not exist for this one.
  const elsewhere = await stranger.put(`/v3/sites/${other}/interlocks/seven`, hot("charger-7"));
  expect(elsewhere.body).toMatchObject({ errors: [{ details: { problem: "unknown_device" } }, {}] });
  await busbar.admin.delete(`${path}/seven`);
});

test("one whose stored document is damaged holds its devices at their safe values until it is set again", async () => {
  const { id, device, alerts } = await makeCharger("charger-9");
  const other = await makeCharger("charger-10");
  await device.sendTelemetry({ temperature: 20, power: 0 });
  await other.device.sendTelemetry({ power: 0 });
  await put("nine", hot("charger-9"));
  await busbar.stop();
  const database = new DatabaseSync(join(busbar.data, "records.db"));
  database.prepare("UPDATE site_interlock SET document = substr(document, 1, 50) WHERE name = ?").run("nine");
  database.close();
  await busbar.restart();
  const run = (deviceId: string, power: number) =>
    commandsOf(busbar.admin, deviceId).create({ name: "set_power", arguments: { power } });
  const refused = await run(id, 4);
  expect(refused.status).toBe(409);
  expect(refused.body).toMatchObject({
    errors: [{ code: "interlocked", details: { interlock: "nine", control: "power", allowed: 0 } }],
  });
  expect(JSON.stringify(refused.body)).toContain("damaged; set it again or remove it");
  // It may be switched off, and devices that it did not name are free.
  expect([(await run(id, 0)).status, (await run(other.id, 4)).status]).toEqual([200, 200]);
  expect(await get("nine")).toMatchObject({ document: null, state: "damaged", problems: [{ code: "damaged" }] });
  await eventually(async () => expect(await alerts()).toContain("interlock_damaged"));
  const ready = await busbar.anonymous.get<{ degraded: { part: string }[] }>("/readyz");
  expect(ready.body.degraded).toContainEqual(expect.objectContaining({ part: "records" }));
  expect((await put("nine", hot("charger-9"))).body.interlock).toMatchObject({ revision: 2 });
  await eventually(async () => expect(await alerts()).not.toContain("interlock_damaged"));
  await busbar.admin.delete(`${path}/nine`);
  expect((await run(id, 4)).status).toBe(200);
});

test("a site has at most 50 interlocks", async () => {
  await makeCharger("charger-8");
  for (let n = 0; n < 50; n += 1) expect((await put(`many-${n}`, hot("charger-8"))).status).toBe(200);
  expect((await put("one-more", hot("charger-8"))).status).toBe(409);
  expect((await put("many-3", hot("charger-8"))).body.interlock.revision).toBe(2);
});
