import { beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Alert, Device, Execution } from "#client/resources.ts";
import { type Session, useServer } from "../support/server.ts";

const busbar = useServer();

const BLUEPRINT = `blueprint_spec: device/3.0
display_name: Simulated heater
category: loads
runtime: {type: embedded}
properties:
  serial_number: {type: string, display_name: Serial number}
  vendor_key: {type: string, display_name: Key, access_level: vendor}
telemetry:
  power: {type: float, unit: W, display_name: Power, aliases: [p]}
  level: {type: integer, display_name: Level, enum: [1, 2, 3]}
  mode: {type: string, display_name: Mode, enum: [eco, boost]}
  secret_heat: {type: float, display_name: Secret, access_level: vendor}
command_groups:
  main: {display_name: Main}
commands:
  set_mode:
    group: main
    display_name: Set mode
    populate_values_command: read_mode
    arguments:
      mode: {type: string, display_name: Mode, enum: [eco, boost], required: true}
      pin: {type: string, display_name: PIN, sensitive: true}
  read_mode:
    group: main
    display_name: Read mode
    response:
      mode: {type: string, required: true, enum: [eco, boost]}
  calibrate: {group: main, display_name: Calibrate}
  stop: {group: main, display_name: Stop}
configuration:
  heating:
    display_name: Heating
    parameters:
      mode: {type: string, display_name: Mode, enum: [eco, boost]}
      pin: {type: string, display_name: PIN, sensitive: true}
alerts:
  overheat: {severity: error, display_name: Too hot}
  filter: {severity: info, display_name: Filter}
`;

interface Simulation {
  readonly seed: number;
  readonly speed: number;
  readonly paused: boolean;
  readonly interval: string;
  readonly simulated_at: string;
  readonly telemetry: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly alerts: Readonly<Record<string, boolean>>;
  readonly next_command: Readonly<Record<string, unknown>> | null;
  readonly written: Readonly<Record<string, unknown>>;
  readonly stopped: boolean;
  readonly current: {
    readonly telemetry: Readonly<Record<string, unknown>>;
    readonly properties: Readonly<Record<string, unknown>>;
    readonly alerts: readonly string[];
  };
}

let blueprint: string;

beforeAll(async () => {
  blueprint = await upload(BLUEPRINT);
});

async function upload(bytes: string): Promise<string> {
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  return made.body.blueprint.id;
}

/** A simulated device that sends ten times a second. */
async function provision(name = "Heater"): Promise<string> {
  const body = { name, blueprint_id: blueprint };
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/simulated_device", body);
  await adjust(made.body.device_id, { interval: "100ms" });
  return made.body.device_id;
}

const at = (id: string) => `/v3/devices/${id}/simulation`;
const simulation = async (id: string, session: Session = busbar.admin) =>
  (await session.get<{ simulation: Simulation }>(at(id))).body.simulation;
const adjust = async (id: string, change: object) => {
  const answer = await busbar.admin.patch<{ simulation: Simulation }>(at(id), change);
  expect([answer.status, answer.errors]).toEqual([200, []]);
  return answer.body.simulation;
};
const now = async (id: string, attribute: string) => {
  const path = `/telemetry/v1/now?devices[${id}]=${attribute}`;
  const answer = await busbar.admin.get<{ devices: Record<string, Record<string, { value: unknown }>> }>(path);
  return answer.body.devices[id]?.[attribute]?.value;
};
const execute = async (id: string, name: string, given: object = {}) => {
  const path = `/v3/devices/${id}/commands/execute?expand=log`;
  return (await busbar.admin.post<{ execution: Execution }>(path, { name, arguments: given })).body.execution;
};
const create = async (id: string, name: string) =>
  (await busbar.admin.post<{ execution_id: string }>(`/v3/devices/${id}/commands/executions`, { name })).body
    .execution_id;
const execution = async (id: string, executionId: string) =>
  (await busbar.admin.get<{ execution: Execution }>(`/v3/devices/${id}/commands/executions/${executionId}`)).body
    .execution;
const status = async (id: string) =>
  (await busbar.admin.get<{ device: Device }>(`/v3/devices/${id}?expand=connectivity`)).body.device.connectivity
    ?.status;

test("a simulated device needs a blueprint", async () => {
  const refused = await busbar.admin.post("/v3/provisioning/simulated_device", { name: "x" });
  expect(refused.errors[0]).toMatchObject({ code: "invalid_body", details: { pointer: "/blueprint_id" } });
});

test("a simulated device is there at once and speaks like any other", async () => {
  const id = await provision();
  const { device } = (await busbar.admin.get<{ device: Device }>(`/v3/devices/${id}`)).body;
  expect(device).toMatchObject({ type: "SIMULATED", blueprint_id: blueprint });
  expect(await status(id)).toBe("ONLINE");
  await expect.poll(() => now(id, "power")).toEqual(expect.any(Number));
  expect(["eco", "boost"]).toContain(await now(id, "mode"));
  const properties = `/v3/devices/${id}/properties`;
  await expect
    .poll(async () => (await busbar.admin.get<{ properties: object }>(properties)).body.properties)
    .toMatchObject({ serial_number: expect.stringMatching(/^SIM-/) });
  expect((await busbar.admin.get<{ logs: unknown[] }>(`/v3/devices/${id}/logs`)).body.logs).toEqual([]);
  const runtime = await busbar.admin.get<{ runtime: { state: string } }>(`/v3/devices/${id}/runtime`);
  expect(runtime.body.runtime.state).toBe("RUNNING");
});

test("its simulation shows everything that is held, and what it says now", async () => {
  const began = Date.now();
  const shown = await simulation(await provision());
  expect(shown).toMatchObject({ speed: 1, paused: false, interval: "100ms", stopped: false, next_command: null });
  expect([shown.telemetry, shown.properties, shown.alerts, shown.written]).toEqual([{}, {}, {}, {}]);
  expect(Object.keys(shown.current.telemetry).sort()).toEqual(["alerts", "level", "mode", "power", "secret_heat"]);
  expect(Date.parse(shown.simulated_at)).toBeGreaterThan(began - 10_000);
  expect(Date.parse(shown.simulated_at)).toBeLessThan(Date.now() + 10_000);
});

test("a device that is not simulated has no simulation", async () => {
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", { name: "Real" });
  for (const answer of [
    await busbar.admin.get(at(made.body.device_id)),
    await busbar.admin.patch(at(made.body.device_id), { speed: 2 }),
  ]) {
    expect([answer.status, answer.errors[0]?.code]).toEqual([409, "conflict"]);
  }
});

test("a value is held until it is given back, by its name or an alias", async () => {
  const id = await provision();
  const held = await adjust(id, { telemetry: { p: 4321, level: 2 }, properties: { serial_number: "S-1" } });
  expect(held.telemetry).toEqual({ power: 4321, level: 2 });
  expect(held.current).toMatchObject({ telemetry: { power: 4321, level: 2 }, properties: { serial_number: "S-1" } });
  await expect.poll(() => now(id, "power")).toBe(4321);
  const { body } = await busbar.admin.get<{ properties: object }>(`/v3/devices/${id}/properties`);
  expect(body.properties).toMatchObject({ serial_number: "S-1" });
  expect((await adjust(id, { telemetry: { power: null } })).telemetry).toEqual({ level: 2 });
  await expect.poll(() => now(id, "power")).not.toBe(4321);
  expect((await adjust(id, { release: ["telemetry", "properties"] })).telemetry).toEqual({});
});

test("everything that is wrong with a change is reported at once, and nothing of it is done", async () => {
  const id = await provision();
  const wrong = {
    telemetry: { power: "much", levl: 1, level: 9 },
    properties: { nothing: 1 },
    alerts: { overheet: false },
    next_command: { kind: "fail", command: "sett_mode" },
    speed: 5,
  };
  const answer = await busbar.admin.patch(at(id), wrong);
  expect(answer.status).toBe(400);
  expect(answer.errors.map(({ details, message }) => [details?.["pointer"], message])).toEqual([
    ["/telemetry/power", 'power must be a number, not "much"'],
    ["/telemetry/levl", 'the blueprint has no telemetry attribute "levl"; did you mean level?'],
    ["/telemetry/level", "level must be one of 1, 2, 3, not 9"],
    ["/properties/nothing", 'the blueprint has no property "nothing"'],
    ["/alerts/overheet", 'the blueprint has no alert "overheet"; did you mean overheat?'],
    ["/next_command/command", 'the blueprint has no command "sett_mode"; did you mean set_mode?'],
  ]);
  expect((await simulation(id)).speed).toBe(1);
  const times = await busbar.admin.patch(at(id), { interval: "1ms", next_command: { kind: "slow", delay: "soon" } });
  expect(times.errors.map(({ details }) => details?.["pointer"])).toEqual(["/interval", "/next_command/delay"]);
});

test("an alert is raised, cleared and left to itself", async () => {
  const id = await provision();
  const raised = async () =>
    (await busbar.admin.get<Page<"alerts", Alert>>(`/v3/devices/${id}/alerts`)).body.alerts.map((alert) => alert.id);
  const held = await adjust(id, { alerts: { overheat: true, filter: false, from_nowhere: true } });
  expect(held.alerts).toEqual({ overheat: true, filter: false, from_nowhere: true });
  expect(held.current.alerts).toEqual(["overheat", "from_nowhere"]);
  await expect.poll(raised).toEqual(expect.arrayContaining(["overheat", "from_nowhere"]));
  await adjust(id, { alerts: { overheat: false, from_nowhere: null } });
  await expect.poll(raised).toEqual([]);
  expect((await adjust(id, { release: ["alerts"] })).alerts).toEqual({});
});

test("a command is answered by its declared response, and reads what another one set", async () => {
  const id = await provision();
  expect(await execute(id, "set_mode", { mode: "boost", pin: "s3cret" })).toMatchObject({ state: "SUCCESS" });
  expect((await execute(id, "read_mode")).response?.payload).toEqual({ mode: "boost" });
  expect((await execute(id, "set_mode", { mode: "eco" })).state).toBe("SUCCESS");
  expect((await execute(id, "read_mode")).response?.payload).toEqual({ mode: "eco" });
  await expect.poll(() => now(id, "mode")).toBe("eco");
  const { written } = await simulation(id);
  expect(written).toEqual({ mode: "eco" });
  expect((await adjust(id, { release: ["written"] })).written).toEqual({});
});

test("a command that takes its time reports how far it is", async () => {
  const id = await provision();
  await adjust(id, { next_command: { kind: "slow", delay: "400ms" } });
  const run = await execute(id, "read_mode");
  expect(run.state).toBe("SUCCESS");
  const messages = run.log?.toReversed().map(({ state, payload }) => [state, payload?.["message"]]);
  expect(messages).toEqual([
    ["STARTED", undefined],
    ["IN_PROGRESS", "Read mode: 25 %"],
    ["IN_PROGRESS", "Read mode: 50 %"],
    ["IN_PROGRESS", "Read mode: 75 %"],
    ["SUCCEEDED", undefined],
  ]);
});

test("the next command can be made to fail, or only the next of a kind, or several", async () => {
  const id = await provision();
  await adjust(id, { next_command: { kind: "fail", command: "read_mode", times: 2, message: "no valve" } });
  expect((await execute(id, "set_mode", { mode: "eco" })).state).toBe("SUCCESS");
  const failed = await execute(id, "read_mode");
  expect([failed.state, failed.response?.payload]).toEqual(["ERROR", { message: "no valve" }]);
  expect((await simulation(id)).next_command).toMatchObject({ kind: "fail", command: "read_mode", times: 1 });
  expect((await execute(id, "read_mode")).state).toBe("ERROR");
  expect((await simulation(id)).next_command).toBeNull();
  expect((await execute(id, "read_mode")).state).toBe("SUCCESS");
});

test("a silent command is started and never heard of again", async () => {
  const id = await provision();
  await adjust(id, { next_command: { kind: "silent" } });
  const silent = await create(id, "read_mode");
  await expect.poll(async () => (await simulation(id)).next_command).toBeNull();
  expect((await execute(id, "read_mode")).state).toBe("SUCCESS");
  await expect.poll(async () => (await execution(id, silent)).state).toBe("IN_PROGRESS");
});

test("a stopped device gives no power until what was set is forgotten", async () => {
  const id = await provision();
  expect((await execute(id, "stop")).state).toBe("SUCCESS");
  expect(await simulation(id)).toMatchObject({ stopped: true, current: { telemetry: { power: 0 } } });
  expect(await adjust(id, { release: ["written"] })).toMatchObject({ stopped: false });
});

test("a paused device is as if unplugged: offline, and commands wait for it", async () => {
  const id = await provision();
  const { simulated_at: stood } = await adjust(id, { paused: true });
  expect(await status(id)).toBe("OFFLINE");
  const waiting = await create(id, "read_mode");
  expect((await execution(id, waiting)).state).toBe("NEW");
  expect((await simulation(id)).simulated_at).toBe(stood);
  await adjust(id, { paused: false });
  expect(await status(id)).toBe("ONLINE");
  await expect.poll(async () => (await execution(id, waiting)).state).toBe("SUCCESS");
});

test("time can run faster, and messages bear the real time all the same", async () => {
  const began = Date.now();
  const id = await provision();
  await adjust(id, { speed: 3600 });
  await expect
    .poll(async () => Date.parse((await simulation(id)).simulated_at) - Date.now())
    .toBeGreaterThan(1_800_000);
  const answer = await busbar.admin.get<{ devices: Record<string, Record<string, { timestamp: number }>> }>(
    `/telemetry/v1/now?devices[${id}]=power`,
  );
  const { timestamp = 0 } = answer.body.devices[id]?.["power"] ?? {};
  expect(timestamp * 1000).toBeGreaterThan(began - 60_000);
  expect(timestamp * 1000).toBeLessThan(Date.now() + 60_000);
});

test("two devices with the same seed and time say the same, and each has its own seed to begin with", async () => {
  const [one, other] = [await provision("One"), await provision("Other")];
  expect((await simulation(one)).seed).not.toBe((await simulation(other)).seed);
  const given = { seed: 7, speed: 0, simulated_at: "2026-06-15T20:00:00+02:00" };
  const [first, second] = [await adjust(one, given), await adjust(other, given)];
  expect(first.simulated_at).toBe("2026-06-15T18:00:00.000Z");
  expect(second.current).toEqual(first.current);
  expect((await simulation(one)).current).toEqual(first.current);
  expect((await adjust(one, { seed: 8 })).current).not.toEqual(first.current);
});

test("a configuration parameter is reported by the attribute of its name", async () => {
  const id = await provision();
  const path = `/v3/devices/${id}/configuration/heating`;
  const written = await busbar.admin.call("PUT", path, { json: { mode: "boost", pin: "s3cret" } });
  expect(written.status).toBe(200);
  expect((await simulation(id)).current.telemetry).toMatchObject({ mode: "boost" });
  await busbar.restart();
  expect((await simulation(id)).current.telemetry).toMatchObject({ mode: "boost" });
  expect(JSON.stringify(await simulation(id))).not.toContain("s3cret");
});

test("values above the token's level are neither shown nor held", async () => {
  const id = await provision();
  const owner = busbar.as(await busbar.token({ name: "owner", level: "owner" }));
  await adjust(id, { telemetry: { secret_heat: 1 }, properties: { vendor_key: "k" } });
  const shown = await simulation(id, owner);
  expect(Object.keys(shown.current.telemetry)).not.toContain("secret_heat");
  expect([shown.telemetry, shown.properties, Object.keys(shown.current.properties)]).toEqual([
    {},
    {},
    ["serial_number"],
  ]);
  const refused = await owner.patch(at(id), { telemetry: { secret_heat: 2 } });
  expect([refused.status, refused.errors[0]?.details]).toEqual([
    403,
    { pointer: "/telemetry/secret_heat", needed: "vendor" },
  ]);
});

test("every change is in the audit log", async () => {
  const id = await provision();
  await adjust(id, { telemetry: { level: 2 } });
  const { body } = await busbar.admin.get<{ entries: { action: string; target: { device_id?: string } }[] }>(
    "/v3/audit?action.in=adjustSimulation&order=AT_DESC&limit=1",
  );
  expect(body.entries[0]).toMatchObject({ action: "adjustSimulation", target: { device_id: id } });
});

test("another blueprint keeps what still fits", async () => {
  const id = await provision();
  await adjust(id, { telemetry: { power: 5, level: 3 } });
  const next = await upload(BLUEPRINT.replace("enum: [1, 2, 3]", "enum: [1, 2]").replace("Simulated heater", "Next"));
  await busbar.admin.post(`/v3/devices/${id}/assign_blueprint`, { blueprint_id: next });
  expect((await simulation(id)).telemetry).toEqual({ power: 5 });
});

test("what was changed survives a restart; a command under way does not", async () => {
  const id = await provision();
  await adjust(id, {
    seed: 12,
    telemetry: { power: 77 },
    alerts: { overheat: true },
    next_command: { kind: "fail", command: "stop" },
  });
  await execute(id, "set_mode", { mode: "boost" });
  const before = await simulation(id);
  const underWay = await create(id, "calibrate");
  await expect.poll(async () => (await execution(id, underWay)).state).toBe("IN_PROGRESS");
  await busbar.restart();
  const { simulated_at: _, current: __, ...after } = await simulation(id);
  expect(before).toMatchObject(after);
  expect((await execute(id, "read_mode")).response?.payload).toEqual({ mode: "boost" });
  await expect
    .poll(async () => (await execution(id, underWay)).response?.payload)
    .toEqual({ message: "interrupted by restart, outcome unknown" });
});

test("a deleted device falls silent", async () => {
  const id = await provision();
  expect((await busbar.admin.delete(`/v3/devices/${id}`)).status).toBe(200);
  expect((await busbar.admin.get(at(id))).status).toBe(404);
});
