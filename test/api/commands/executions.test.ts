// Command executions: their fields and states, and the routes that create and get them.
import { expect, test } from "vitest";
import { check } from "../../support/check.ts";
import { connected, type OneExecution } from "../../support/command-site.ts";
import { useSite } from "../../support/use-site.ts";

const site = useSite();
const { busbar } = site;
const HOUR = 3_600_000;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;

const VALVE = `blueprint_spec: device/3.0
display_name: Valve
runtime: {type: embedded}
command_groups: {main: {display_name: Main}}
commands:
  open: {group: main, display_name: Open, aliases: [unlock], arguments: {angle: {type: float, display_name: Angle}}}
  close: {group: main, display_name: Close}
`;

/** A device that answers each command with progress and then as asked. */
async function answering(end: "completed" | "error" = "completed", payload: object = { done: true }) {
  const device = await site.device(VALVE);
  const mqtt = await device.connect();
  mqtt.onCommand(async (command) => {
    await command.log({ percent: 50 });
    await command[end](payload);
  });
  return device;
}

check("execution.id", async () => {
  const { started, get } = await site.device(VALVE);
  const id = await started({ name: "open" });
  expect((await get(id)).body.execution.id).toBe(id);
  const later = await started({ name: "open" });
  // A UUID of version 7, so that ids are in the order of creation.
  for (const one of [id, later])
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(later > id).toBe(true);
});

check("execution.device-id", async () => {
  const device = await site.device(VALVE);
  const { execution } = (await device.get(await device.started({ name: "open" }))).body;
  expect(execution.device_id).toBe(device.id);
});

check("execution.state-is-known", async () => {
  const { started, state, list } = await answering();
  const id = await started({ name: "open" });
  await expect.poll(() => state(id)).toBe("SUCCESS");
  for (const known of ["NEW", "IN_PROGRESS", "SUCCESS", "ERROR", "TIMEOUT", "UNSYNC"]) {
    expect((await list(`?state.in=${known}`)).body.total_count).toBe(known === "SUCCESS" ? 1 : 0);
  }
  expect((await list("?state.in=DONE")).status).toBe(400);
});

check("execution.ephemeral", async () => {
  const { started, get } = await site.device(VALVE);
  const shown = async (body: object) => (await get(await started({ name: "open", ...body }))).body.execution.ephemeral;
  expect([await shown({ ephemeral: true }), await shown({ ephemeral: false })]).toEqual([true, false]);
});

check("execution.created-at", async () => {
  const { started, get } = await site.device(VALVE);
  const before = Date.now();
  const { created_at } = (await get(await started({ name: "open" }))).body.execution;
  expect(created_at).toMatch(RFC_3339);
  expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
});

check("execution.response-absent", async () => {
  const { started, get } = await site.device(VALVE);
  const { execution } = (await get(await started({ name: "open" }), "?expand=log")).body;
  expect(execution).not.toHaveProperty("response");
  expect(execution.log).toEqual([]);
});

check("execution.response-is-latest", async () => {
  const device = await site.device(VALVE);
  const mqtt = await device.connect();
  const id = await device.started({ name: "open" });
  const command = await mqtt.nextCommand();
  const latest = async () => (await device.get(id)).body.execution.response;
  await expect.poll(latest).toMatchObject({ state: "STARTED" });
  await command.log({ percent: 10 });
  expect(await latest()).toMatchObject({ state: "IN_PROGRESS", payload: { percent: 10 } });
  await command.completed({ angle: 90 });
  expect(await latest()).toMatchObject({ state: "SUCCEEDED", payload: { angle: 90 } });
});

check("execution.log-only-when-asked", async () => {
  const { execute, get } = await answering();
  const { execution } = (await execute({ name: "open" })).body;
  expect(execution).not.toHaveProperty("log");
  for (const query of ["", "?expand="])
    expect((await get(execution.id, query)).body.execution).not.toHaveProperty("log");
  expect((await get(execution.id, "?expand=log")).body.execution.log).toHaveLength(3);
});

check("execution.log-newest-first", async () => {
  const { execute } = await answering();
  const { log = [] } = (await execute({ name: "open" }, { query: "?expand=log" })).body.execution;
  expect(log.map(({ state }) => state)).toEqual(["SUCCEEDED", "IN_PROGRESS", "STARTED"]);
  const times = log.map(({ received_at }) => received_at);
  expect(times).toEqual(times.toSorted().reverse());
});

check("execution.same-fields-in-lists", async () => {
  const { execute, list, get } = await answering();
  const { id } = (await execute({ name: "open", arguments: { angle: 5 } })).body.execution;
  const [listed] = (await list()).body.executions;
  expect(listed).toEqual((await get(id)).body.execution);
  expect(listed).not.toHaveProperty("log");
});

check("execution.request-name", async () => {
  const { started, get } = await site.device(VALVE);
  const names = ["open", "unlock"];
  const shown = names.map(async (name) => (await get(await started({ name }))).body.execution.request.name);
  expect(await Promise.all(shown)).toEqual(names);
});

check("execution.request-arguments", async () => {
  const { started, get } = await site.device(VALVE);
  const id = await started({ name: "open", arguments: { angle: 12.5 } });
  expect((await get(id)).body.execution.request.arguments).toEqual({ angle: 12.5 });
});

check("execution.request-manifest-name", async () => {
  const { started, get } = await site.device(VALVE);
  const shown = async (name: string) => (await get(await started({ name }))).body.execution.request.manifest_name;
  expect([await shown("open"), await shown("unlock")]).toEqual(["open", "open"]);
});

check("execution.response-state", async () => {
  const done = await (await answering()).execute({ name: "open" }, { query: "?expand=log" });
  const failed = await (await answering("error")).execute({ name: "open" }, { query: "?expand=log" });
  const states = [done, failed].flatMap(({ body }) => body.execution.log?.map(({ state }) => state));
  expect(new Set(states)).toEqual(new Set(["STARTED", "IN_PROGRESS", "SUCCEEDED", "ERROR"]));
});

check("execution.response-payload", async () => {
  const { execute } = await answering();
  const { log = [] } = (await execute({ name: "open" }, { query: "?expand=log" })).body.execution;
  expect(log.map(({ payload }) => payload)).toEqual([{ done: true }, { percent: 50 }, undefined]);
});

check("execution.error-has-message", async () => {
  const { execute } = await answering("error", { message: "the valve is stuck" });
  expect((await execute({ name: "open" })).body.execution.response?.payload).toEqual({ message: "the valve is stuck" });
});

check("execution.received-at", async () => {
  const { execute } = await answering();
  const { response, created_at } = (await execute({ name: "open" })).body.execution;
  expect(response?.received_at).toMatch(RFC_3339);
  expect(Date.parse(response?.received_at ?? "")).toBeGreaterThanOrEqual(Date.parse(created_at));
});

check("execution.state-new", async () => {
  const { started, state } = await site.device(VALVE);
  expect(await state(await started({ name: "open" }))).toBe("NEW");
});

check("execution.state-in-progress", async () => {
  const device = await site.device(VALVE);
  const mqtt = await device.connect();
  const id = await device.started({ name: "open" });
  await (await mqtt.nextCommand()).log({ percent: 1 });
  expect(await device.state(id)).toBe("IN_PROGRESS");
});

check("execution.state-success", async () => {
  expect((await (await answering()).execute({ name: "open" })).body.execution.state).toBe("SUCCESS");
});

check("execution.state-error", async () => {
  expect((await (await answering("error")).execute({ name: "open" })).body.execution.state).toBe("ERROR");
});

check("execution.state-timeout", async () => {
  const { started, state } = await site.device(VALVE);
  const id = await started({ name: "open" });
  site.advance(30_000);
  await expect.poll(() => state(id)).toBe("TIMEOUT");
});

check("execution.ephemeral-hidden", async () => {
  const { started, list, id: deviceId } = await site.device(VALVE);
  const [kept, short] = [await started({ name: "open" }), await started({ name: "open", ephemeral: true })];
  expect((await list()).body.executions.map(({ id }) => id)).toEqual([kept]);
  const ofSite = await busbar.admin.get(`/v3/sites/${site.siteId}/commands/executions?device_id.in=${deviceId}`);
  expect(ofSite.text).not.toContain(short);
});

check("execution.ephemeral-deleted", async () => {
  const { started, get } = await site.device(VALVE);
  const [kept, short] = [await started({ name: "open" }), await started({ name: "open", ephemeral: true })];
  site.advance(24 * HOUR - 60_000);
  expect((await get(short)).status).toBe(200);
  site.advance(60_000);
  expect((await get(short)).status).toBe(404);
  expect((await get(kept)).status).toBe(200);
});

test("an execution is found only under its own device", async () => {
  const [own, other] = [await site.device(VALVE), await site.device(VALVE)];
  const id = await own.started({ name: "open" });
  for (const answer of [await other.get(id), await own.get("019a8c00-0000-7000-8000-0000000000ee")])
    expect([answer.status, answer.errors[0]?.code]).toEqual([404, "not_found"]);
});

test("what another device answers to an execution is not heard", async () => {
  const [device, other] = [await site.device(VALVE), await site.device(VALVE)];
  const [mqtt, liar] = [await device.connect(), await other.connect()];
  const id = await device.started({ name: "open" });
  const command = await mqtt.nextCommand();
  await liar.publish("v1/command/responses", JSON.stringify({ id, state: "completed", payload: { stolen: true } }));
  expect(["NEW", "IN_PROGRESS"]).toContain(await device.state(id));
  await command.completed({ own: true });
  expect((await device.get(id)).body.execution.response?.payload).toEqual({ own: true });
});

test("a response to an execution that does not exist changes nothing and is acknowledged", async () => {
  const mqtt = await (await site.device(VALVE)).connect();
  await mqtt.publish("v1/command/responses", JSON.stringify({ id: "nothing", state: "completed" }));
  expect((await busbar.admin.get("/readyz")).status).toBe(200);
});

test("commands reach a device in the order of their creation", async () => {
  const device = await site.device(VALVE);
  const ids: string[] = [];
  const create = async () => {
    for (let angle = 0; angle < 10; angle++) ids.push(await device.started({ name: "open", arguments: { angle } }));
  };
  await create();
  const mqtt = await device.connect();
  await create();
  const arrived: string[] = [];
  while (arrived.length < ids.length) arrived.push((await mqtt.nextCommand()).id);
  expect(arrived).toEqual(ids);
});

test("of two connections of a device one gets the command, once", async () => {
  const device = await site.device(VALVE);
  const config = await device.config();
  const [a, b] = [await connected(config), await connected(config)];
  await device.started({ name: "open" });
  await Promise.race([a.nextCommand(), b.nextCommand()]);
  await a.log("still there");
  await b.log("still there");
  expect(a.commands.length + b.commands.length).toBe(1);
});

test.each([
  ["/v3/devices/DEVICE/command_executions"],
  ["/v3/sites/SITE/devices/DEVICE/command_executions"],
  ["/api/v3/devices/DEVICE/commands/executions"],
])("%s creates, lists and gets, as the ecosystem's clients ask", async (path) => {
  const device = await site.device(VALVE);
  const at = path.replace("SITE", site.siteId).replace("DEVICE", device.id);
  const created = await busbar.admin.post<{ execution_id: string }>(at, { name: "close" });
  const got = await busbar.admin.get<OneExecution>(`${at}/${created.body.execution_id}?expand=log`);
  expect(got.body.execution).toMatchObject({ id: created.body.execution_id, log: [] });
  const listed = await busbar.admin.get<{ executions: readonly { id: string }[] }>(
    `${at}?order=created_at_desc&limit=1`,
  );
  expect(listed.body.executions.map(({ id }) => id)).toEqual([created.body.execution_id]);
});

test("a device is sent at most 1,000 open commands, then the next is refused until some have ended", async () => {
  const [full, other] = [await site.device(VALVE), await site.device(VALVE)];
  await Promise.all(Array.from({ length: 1_000 }, () => full.started({ name: "open" })));
  for (const refused of [await full.create({ name: "open" }), await full.execute({ name: "open" })]) {
    expect([refused.status, refused.errors[0]?.code]).toEqual([429, "queue_full"]);
    expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }
  expect((await other.create({ name: "open" })).status).toBe(200);
  const mqtt = await full.connect();
  await (await mqtt.nextCommand()).completed();
  expect((await full.create({ name: "open" })).status).toBe(200);
});
