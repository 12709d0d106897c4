// Claims instead of fights: who claims a control decides for a time, the device is told, and everybody sees why.
import { beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, commandsOf, connected, makeCommandSite, upload } from "../support/command-site.ts";
import type { FakeDevice } from "../support/fake-device.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { useServer } from "../support/server.ts";

const clocks = createMovableClocks();
const busbar = useServer(["--mqtt-port", "0"], { clocks });

const MANIFEST = `blueprint_spec: device/3.0
display_name: Battery
runtime: {type: embedded}
implements: [energy.battery.control]
telemetry:
  battery_power: {type: float, unit: kW, display_name: Power}
command_groups: {main: {display_name: Main}}
commands:
  set_battery_power:
    group: main
    display_name: Set power
    access_level: owner
    arguments:
      power: {type: float, unit: kW, min: -5, max: 5, required: true, display_name: Power}
`;

interface Wire {
  readonly value: number | null;
  readonly follow: string;
  readonly winner: { readonly id: string; readonly source: string; readonly cause: string | null } | null;
  readonly losers: readonly unknown[];
  readonly [field: string]: unknown;
}

let site: CommandSite;
let blueprintId = "";
let otherSite = "";

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Control");
  blueprintId = await upload(busbar, MANIFEST);
  otherSite = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Other" })).body.site.id;
});

async function makeBattery(name: string) {
  const id = await site.device(name, { blueprint_id: blueprintId });
  const device = await connected(await site.configOf(id));
  answer(device);
  const path = `/v3/devices/${id}/controls/battery_power`;
  const read = async () => (await busbar.admin.get<{ control: Wire }>(path)).body.control;
  const claim = (body: object, as = busbar.admin) =>
    as.post<{ control: Wire }>(`${path}/claims`, { reason: "test", ...body });
  const powers = () => device.commands.map((command) => command.arguments["power"]);
  return { id, device, path, read, claim, powers };
}

/** Does what it is told, and measures it. */
function answer(device: FakeDevice): void {
  device.onCommand(async (command) => {
    await command.completed();
    await device.sendTelemetry({ battery_power: command.arguments["power"] });
  });
}

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 30_000, interval: 100 });

test("a claim is told to the device in its unit, followed, outranked, and ended by its fallback", async () => {
  const { id, claim, read, powers, path } = await makeBattery("battery-1");
  expect(await read()).toMatchObject({ value: null, winner: null, unit: "W", min: -5000, max: 5000, follow: "idle" });
  const plan = await claim({ value: 2500, class: "plan", lease: "10m" });
  expect(plan.body.control).toMatchObject({ value: 2500, winner: { class: "plan", reason: "test" } });
  await eventually(async () =>
    expect(await read()).toMatchObject({ follow: "followed", measured: 2500, written: 2500 }),
  );
  const person = busbar.as(await busbar.token({ level: "owner", site_ids: [site.siteId] }));
  await claim({ value: -1000 }, person);
  await claim({ kind: "max", value: 0, class: "grid", lease: "10m" });
  await eventually(() => expect(powers()).toEqual([2.5, -1]));
  const now = await read();
  expect(now).toMatchObject({
    value: -1000,
    upper_bound: 0,
    winner: { source_name: "test" },
    losers: [{ class: "plan", source_name: "admin" }],
    limited_by: [{ kind: "max" }],
  });
  const idle = await site.device("battery-idle", { blueprint_id: blueprintId });
  const listed = async (query = "") =>
    (await busbar.admin.get<{ controls: Wire[] }>(`/v3/sites/${site.siteId}/controls${query}`)).body.controls.map(
      ({ device_id }) => device_id,
    );
  expect(await listed()).toEqual([id]);
  expect(await listed("?claimed=false")).toEqual(expect.arrayContaining([id, idle]));
  expect((await person.delete(`${path}/claims/${now.winner?.id}`)).status).toBe(200);
  // The plan wants 2500, and the grid allows 0.
  await eventually(() => expect(powers()).toEqual([2.5, -1, 0]));
  clocks.advance(11 * 60_000);
  await eventually(async () => expect(await read()).toMatchObject({ value: null, follow: "idle", written: null }));
  await eventually(() => expect(powers()).toEqual([2.5, -1, 0, 0]));
  type Entry = { value: number | null; class: string | null; source_name: string | null; door: string | null };
  const history = await busbar.admin.get<{ records: Entry[] }>(`/v3/devices/${id}/control_history`);
  const values = history.body.records.map(({ value }) => value);
  expect(values.filter((value, index) => value !== values[index + 1])).toEqual([null, 0, -1000, 2500]);
  const setBy = history.body.records.find(({ value }) => value === -1000);
  expect(setBy).toMatchObject({ class: "person", source_name: "test", door: "token" });
  expect(history.body.records.filter(({ value }) => value === null).map(({ door }) => door)).toContain(null);
  expect((await commandsOf(busbar.admin, id).list()).body.total_count).toBe(4);
});

test("a command that somebody executes is a claim of theirs, and takes over", async () => {
  const { id, claim, read, powers } = await makeBattery("battery-2");
  await claim({ value: 1000 });
  await eventually(() => expect(powers()).toEqual([1]));
  const other = busbar.as(await busbar.token({ level: "owner", site_ids: [site.siteId] }));
  const executed = await commandsOf(other, id).execute({ name: "set_battery_power", arguments: { power: 3 } });
  expect(executed.body.execution).toMatchObject({ state: "SUCCESS", request: { arguments: { power: 3 } } });
  await eventually(async () =>
    expect(await read()).toMatchObject({
      value: 3000,
      winner: { cause: `execution:${executed.body.execution.id}`, reason: "executed set_battery_power" },
      losers: [],
      follow: "followed",
    }),
  );
  expect(powers()).toEqual([1, 3]);
});

test("a command of a schedule is a claim of a rule: a person counts more, also the one who made the schedule", async () => {
  const { id, claim, read, powers } = await makeBattery("battery-2b");
  const bulk = { name: "set_battery_power", arguments: { power: 2 }, devices: { device_ids: [id] } };
  const soon = () => new Date(clocks.now() + 1_500).toISOString();
  const made = await busbar.admin.post<{ schedule: { id: string } }>("/v3/commands/schedules", {
    name: "Evening",
    bulk,
    at: soon(),
  });
  const source = `schedule:${made.body.schedule.id}`;
  await eventually(async () =>
    expect(await read()).toMatchObject({ value: 2000, winner: { class: "rule", source, source_name: null } }),
  );
  await claim({ value: 1000 });
  await eventually(() => expect(powers()).toEqual([2, 1]));
  await busbar.admin.post("/v3/commands/schedules", { name: "Again", bulk, at: soon() });
  // It runs, as every command does, and then the person's value counts again.
  await eventually(() => expect(powers()).toEqual([2, 1, 2, 1]));
  expect(await read()).toMatchObject({ value: 1000, winner: { class: "person" }, losers: [{ class: "rule" }] });
});

test("a device that comes back is told again", async () => {
  const { id, device, claim, powers } = await makeBattery("battery-3");
  await claim({ value: 2000 });
  await eventually(() => expect(powers()).toEqual([2]));
  device.drop();
  const again = await connected(await site.configOf(id));
  answer(again);
  await eventually(() => expect(again.commands.map((command) => command.arguments["power"])).toEqual([2]));
});

test("a device that does not follow is said to, written again, and has an alert until it follows", async () => {
  const { id, device, claim, read, powers } = await makeBattery("battery-5");
  device.onCommand((command) => command.completed());
  await claim({ value: 2000, lease: "2h" });
  const alerts = async () => {
    const { body } = await busbar.admin.get<{ alerts: { id: string }[] }>(`/v3/devices/${id}/alerts`);
    return body.alerts.map((alert) => alert.id);
  };
  await eventually(async () => {
    await device.sendTelemetry({ battery_power: 0 });
    clocks.advance(5_000);
    expect(await alerts()).toEqual(["control_not_followed"]);
  });
  expect(await read()).toMatchObject({ value: 2000, measured: 0, follow: "not_followed" });
  expect(powers().length).toBeGreaterThan(1);
  await eventually(async () => {
    await device.sendTelemetry({ battery_power: 2 });
    clocks.advance(1_000);
    expect(await alerts()).toEqual([]);
  });
  expect(await read()).toMatchObject({ follow: "followed" });
});

test("after a restart an alert stands, and ends when nobody controls the device any more", async () => {
  const { id, device, claim, read } = await makeBattery("battery-9");
  device.onCommand((command) => command.completed());
  await claim({ value: 2000, lease: "2h" });
  const alertsOf = async () =>
    (await busbar.admin.get<{ alerts: { id: string; active_since: string }[] }>(`/v3/devices/${id}/alerts`)).body
      .alerts;
  await eventually(async () => {
    await device.sendTelemetry({ battery_power: 0 });
    clocks.advance(5_000);
    expect(await alertsOf()).toHaveLength(1);
  });
  const [before] = await alertsOf();
  await busbar.restart();
  expect(await read()).toMatchObject({ value: 2000 });
  // It was never cleared: it is as old as before.
  expect(await alertsOf()).toEqual([before]);
  await busbar.stop();
  clocks.advance(3 * 3_600_000);
  await busbar.restart();
  await connected(await site.configOf(id));
  await eventually(async () => expect(await alertsOf()).toEqual([]));
});

test("what cannot be claimed is refused, with a reason", async () => {
  const { claim, path, id } = await makeBattery("battery-4");
  const user = busbar.as(await busbar.token({ level: "user", site_ids: [site.siteId] }));
  const owner = busbar.as(await busbar.token({ level: "owner", site_ids: [site.siteId] }));
  const elsewhere = busbar.as(await busbar.token({ level: "vendor", site_ids: [otherSite] }));
  expect((await claim({ value: 1 }, user)).status).toBe(403);
  expect((await claim({ value: 1 }, elsewhere)).status).toBe(404);
  expect((await claim({ value: 1, kind: "max", class: "grid" }, owner)).status).toBe(403);
  for (const body of [
    { value: 6000 },
    { value: "unlimited" },
    { value: 1, class: "interlock" },
    { value: 1, class: "grid" },
    { value: 1, lease: "8d" },
    { value: 1, lease: "soon" },
    { value: 1, class: "rule", lease: "25h" },
    { value: 1, reason: "x".repeat(201) },
  ]) {
    expect((await claim(body)).status, JSON.stringify(body)).toBe(400);
  }
  expect((await busbar.admin.get(`/v3/devices/${id}/controls/other`)).status).toBe(404);
  const made = (await claim({ value: null, lease: "1m" })).body.control;
  const [idle] = made.losers as readonly { readonly id: string }[];
  expect(made).toMatchObject({ value: null, winner: null });
  expect((await owner.post(`${path}/claims/${idle?.id}/renew`, {})).status).toBe(403);
  expect((await busbar.admin.post(`${path}/claims/${idle?.id}/renew`, { lease: "2m" })).status).toBe(200);
  expect((await owner.delete(`${path}/claims/${idle?.id}`)).status).toBe(200);
  expect((await owner.delete(`${path}/claims/${idle?.id}`)).status).toBe(404);
});

test("who claims again keeps the age, so two programs do not take turns", async () => {
  const { claim, read, powers } = await makeBattery("battery-6");
  const other = busbar.as(await busbar.token({ level: "owner", site_ids: [site.siteId] }));
  const first = (await claim({ value: 1000, class: "rule" })).body.control.winner;
  for (const value of [2000, 1000, 3000]) {
    await claim({ value: -1000, class: "rule" }, other);
    await claim({ value, class: "rule" });
    expect(await read()).toMatchObject({ value, winner: { id: first?.id }, losers: [{ value: -1000 }] });
  }
  await eventually(() => expect(powers().at(-1)).toBe(3));
  expect(powers()).not.toContain(-1);
});

test("renewals and repetitions are not in the audit log, changes are", async () => {
  const { id, device, claim, path, powers, read } = await makeBattery("battery-7");
  const made = (await claim({ value: 1000, class: "rule", lease: "10m" })).body.control.winner;
  await claim({ value: 1000, class: "rule", lease: "20m" });
  await busbar.admin.post(`${path}/claims/${made?.id}/renew`, { lease: "1h" });
  await eventually(() => expect(powers()).toEqual([1]));
  device.drop();
  const again = await connected(await site.configOf(id));
  answer(again);
  await eventually(() => expect(again.commands).toHaveLength(1));
  await claim({ value: 2000, class: "rule", lease: "1h" });
  await eventually(async () => expect(await read()).toMatchObject({ written: 2000, follow: "followed" }));
  const { entries } = (
    await busbar.admin.get<{ entries: { action: string; target: { device_id?: string } }[] }>(`/v3/audit?limit=1000`)
  ).body;
  const actions = entries.filter(({ target }) => target.device_id === id).map(({ action }) => action);
  expect(actions.filter((action) => action === "claimControl")).toHaveLength(2);
  expect(actions).not.toContain("renewClaim");
  expect(actions.filter((action) => action === "control")).toHaveLength(2);
});

test("a device has so many claims, a person ends those of others only as owner", async () => {
  const { claim, path, read } = await makeBattery("battery-8");
  const tokens: string[] = [];
  for (let n = 0; n < 22; n += 1) tokens.push(await busbar.token({ level: "owner", site_ids: [site.siteId] }));
  const statuses: number[] = [];
  for (const token of tokens) {
    for (const kind of ["target", "min", "max"]) {
      statuses.push((await claim({ kind, value: 0, class: "rule", lease: "1h" }, busbar.as(token))).status);
    }
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(64);
  expect(statuses.slice(-2)).toEqual([409, 409]);
  const user = busbar.as(await busbar.token({ level: "user", site_ids: [site.siteId] }));
  expect((await user.delete(`${path}/claims/${(await read()).winner?.id}`)).status).toBe(403);
});
