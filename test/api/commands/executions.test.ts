// Create and Get Command Execution.
import { beforeAll, expect, test } from "vitest";
import {
  type CommandSite,
  commandsOf,
  connected,
  makeCommandSite,
  type OneExecution,
} from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

let site: CommandSite;
let deviceId: string;

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Executions");
  deviceId = await site.device("Runner");
});

const commands = () => commandsOf(busbar.admin, deviceId);

test("create answers at once with one field, the execution's id, and the state is read with get", async () => {
  const device = await site.connect(deviceId);
  const { status, body } = await commands().create({ name: "start", arguments: { power: 5 } });
  expect([status, Object.keys(body)]).toEqual([200, ["execution_id"]]);
  const command = await device.nextCommand();
  expect(command.id).toBe(body.execution_id);
  await command.completed({ ok: true });
  const { execution } = (await commands().get(body.execution_id)).body;
  expect(execution).toMatchObject({ id: body.execution_id, device_id: deviceId, state: "SUCCESS" });
  expect(execution.response).toMatchObject({ state: "SUCCEEDED", payload: { ok: true } });
});

test("the id is a UUID of version 7, so that ids are in the order of creation", async () => {
  const ids = [await commands().started({ name: "stop" }), await commands().started({ name: "stop" })];
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.toSorted()).toEqual(ids);
});

test("while it runs get shows what is known: no response, then the latest one, then the last", async () => {
  const id = await commands().started({ name: "stop" });
  const fresh = (await commands().get(id)).body.execution;
  expect(fresh.state).toBe("NEW");
  expect(fresh).not.toHaveProperty("response");
  expect(fresh).not.toHaveProperty("log");
  const device = await site.connect(deviceId);
  const command = await waitFor(device, id);
  await command.log({ percent: 10 });
  expect((await commands().get(id)).body.execution).toMatchObject({
    state: "IN_PROGRESS",
    response: { state: "IN_PROGRESS", payload: { percent: 10 } },
  });
  await command.error({ message: "no" });
  expect((await commands().get(id)).body.execution).toMatchObject({ state: "ERROR", response: { state: "ERROR" } });
});

test("with expand=log the log holds all responses, newest first", async () => {
  const id = await commands().started({ name: "stop" });
  expect((await commands().get(id, "?expand=log")).body.execution.log).toEqual([]);
  const device = await site.connect(deviceId);
  const command = await waitFor(device, id);
  await command.log({ n: 1 });
  await command.log({ n: 1 });
  await command.completed();
  const { execution } = (await commands().get(id, "?expand=log")).body;
  expect(execution.log?.map(({ state }) => state)).toEqual(["SUCCEEDED", "IN_PROGRESS", "IN_PROGRESS", "STARTED"]);
  expect((await commands().get(id)).body.execution).not.toHaveProperty("log");
  expect((await commands().get(id, "?expand=")).body.execution).not.toHaveProperty("log");
});

test("an execution is found only under its own device", async () => {
  const id = await commands().started({ name: "stop" });
  const other = await site.device("Other");
  const [under, unknown] = [
    await commandsOf(busbar.admin, other).get(id),
    await commands().get("019a8c00-0000-7000-8000-0000000000ee"),
  ];
  expect([under.status, under.errors[0]?.code]).toEqual([404, "not_found"]);
  expect([unknown.status, unknown.errors[0]?.code]).toEqual([404, "not_found"]);
});

test("what another device answers to an execution is not heard", async () => {
  const other = await site.device("Liar");
  const [device, liar] = [await site.connect(deviceId), await site.connect(other)];
  const id = await commands().started({ name: "stop" });
  const command = await waitFor(device, id);
  await liar.publish("v1/command/responses", JSON.stringify({ id, state: "completed", payload: { stolen: true } }));
  expect(["NEW", "IN_PROGRESS"]).toContain(await commands().state(id));
  await command.completed({ own: true });
  expect((await commands().get(id)).body.execution.response?.payload).toEqual({ own: true });
});

test("a response to an execution that does not exist changes nothing and is acknowledged", async () => {
  const device = await site.connect(deviceId);
  await device.publish("v1/command/responses", JSON.stringify({ id: "nothing", state: "completed" }));
  expect((await busbar.admin.get("/readyz")).status).toBe(200);
});

test("after its end an execution never changes", async () => {
  const device = await site.connect(deviceId);
  const id = await commands().started({ name: "stop" });
  const command = await waitFor(device, id);
  await command.completed({ n: 1 });
  const ended = (await commands().get(id, "?expand=log")).body.execution;
  await command.completed({ n: 2 });
  await command.error({ message: "late" });
  await command.log({ percent: 10 });
  expect((await commands().get(id, "?expand=log")).body.execution).toEqual(ended);
});

test("commands reach a device in the order of their creation", async () => {
  const first = await commands().started({ name: "start", arguments: { power: 0 } });
  const waiting = [first];
  for (let power = 1; power < 10; power++) {
    waiting.push(await commands().started({ name: "start", arguments: { power } }));
  }
  const device = await site.connect(deviceId);
  const later: string[] = [];
  for (const id of waiting) await waitFor(device, id);
  for (let power = 10; power < 20; power++) {
    later.push(await commands().started({ name: "start", arguments: { power } }));
  }
  for (const id of later) await waitFor(device, id);
  const arrived = device.commands.map(({ id }) => id).filter((id) => [...waiting, ...later].includes(id));
  expect(arrived).toEqual([...waiting, ...later]);
});

test("of two connections of a device one gets the command, once", async () => {
  const config = await site.configOf(deviceId);
  const [a, b] = [await connected(config), await connected(config)];
  const id = await commands().started({ name: "stop" });
  await Promise.race([waitFor(a, id), waitFor(b, id)]);
  await a.log("still there");
  await b.log("still there");
  expect([...a.commands, ...b.commands].filter((command) => command.id === id)).toHaveLength(1);
});

test.each([
  ["/v3/devices/DEVICE/command_executions"],
  ["/v3/sites/SITE/devices/DEVICE/command_executions"],
  ["/api/v3/devices/DEVICE/commands/executions"],
])("%s creates, lists and gets, as the ecosystem's clients ask", async (path) => {
  const at = path.replace("SITE", site.siteId).replace("DEVICE", deviceId);
  const created = await busbar.admin.post<{ execution_id: string }>(at, { name: "stop" });
  const got = await busbar.admin.get<OneExecution>(`${at}/${created.body.execution_id}?expand=log`);
  expect(got.body.execution).toMatchObject({ id: created.body.execution_id, log: [] });
  const listed = await busbar.admin.get<{ executions: readonly { id: string }[] }>(
    `${at}?order=created_at_desc&limit=1`,
  );
  expect(listed.body.executions.map(({ id }) => id)).toEqual([created.body.execution_id]);
});

test("a device is sent at most 1,000 open commands, then the next is refused until some have ended", async () => {
  const full = await site.device("Full");
  const { started, create, execute } = commandsOf(busbar.admin, full);
  await Promise.all(Array.from({ length: 1_000 }, () => started({ name: "stop" })));
  for (const refused of [await create({ name: "stop" }), await execute({ name: "stop" })]) {
    expect([refused.status, refused.errors[0]?.code]).toEqual([429, "queue_full"]);
    expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }
  expect((await commands().create({ name: "stop" })).status).toBe(200);
  const device = await site.connect(full);
  await (await device.nextCommand()).completed();
  expect((await create({ name: "stop" })).status).toBe(200);
});

/** The command of this execution; others that wait for the same device are left alone. */
async function waitFor(device: Awaited<ReturnType<CommandSite["connect"]>>, id: string) {
  for (;;) {
    const command = await device.nextCommand();
    if (command.id === id) return command;
  }
}
