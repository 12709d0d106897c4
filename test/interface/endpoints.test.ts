// The command endpoints: execute, create and get.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { type SiteDevice, useSite } from "../support/use-site.ts";

const site = useSite();
const { busbar } = site;

const PUMP = `blueprint_spec: device/3.0
display_name: Pump
runtime: {type: embedded}
command_groups: {main: {display_name: Main}}
commands:
  start: {group: main, display_name: Start, aliases: [go], arguments: {power: {type: float, display_name: Power}}}
  stop: {group: main, display_name: Stop}
`;
const ENDPOINTS = [
  ["POST", "/commands/execute"],
  ["POST", "/commands/executions"],
  ["GET", "/commands/executions"],
  ["GET", "/commands/executions/0198a5c2-0000-7000-8000-000000000000"],
] as const;

async function answering(): Promise<SiteDevice> {
  const device = await site.device(PUMP);
  const mqtt = await device.connect();
  mqtt.onCommand((command) => command.completed({ ran: command.name }));
  return device;
}

check("endpoints.need-token", async () => {
  const { path } = await site.device(PUMP);
  for (const [method, rest] of ENDPOINTS) {
    const body = method === "POST" ? { json: { name: "start" } } : {};
    expect((await busbar.anonymous.call(method, path + rest, body)).status, rest).toBe(401);
  }
  expect((await busbar.anonymous.get(`/v3/sites/${site.siteId}/commands/executions`)).status).toBe(401);
});

check("endpoints.bodies-are-json", async () => {
  const { path } = await site.device(PUMP);
  for (const rest of ["/commands/execute", "/commands/executions"]) {
    const refused = await busbar.admin.call("POST", path + rest, { bytes: "name=start" });
    expect([refused.status, refused.errors[0]?.code]).toEqual([400, "invalid_json"]);
  }
});

check("endpoints.execute-runs", async () => {
  const device = await site.device(PUMP);
  const mqtt = await device.connect();
  mqtt.onCommand((command) => command.completed());
  const { status, body } = await device.execute({ name: "start", arguments: { power: 3 } });
  expect([status, body.execution.state]).toEqual([200, "SUCCESS"]);
  expect(mqtt.commands).toMatchObject([{ id: body.execution.id, name: "start", arguments: { power: 3 } }]);
});

check("endpoints.execute-only-declared", async () => {
  const { execute, list } = await answering();
  const refused = await execute({ name: "fly" });
  expect([refused.status, refused.errors[0]?.code]).toEqual([404, "command_not_found"]);
  expect((await list("?retention=ALL")).body.total_count).toBe(0);
});

check("endpoints.execute-expand", async () => {
  const { execute } = await answering();
  expect((await execute({ name: "start" })).body.execution).not.toHaveProperty("log");
  expect((await execute({ name: "start" }, { query: "?expand=log" })).body.execution.log).toHaveLength(2);
  expect((await execute({ name: "start" }, { query: "?expand=logs" })).status).toBe(400);
});

check("endpoints.execute-body", async () => {
  const { execute } = await answering();
  const plain = (await execute({ name: "start", arguments: { power: 1 } })).body.execution;
  expect(plain).toMatchObject({ request: { name: "start", arguments: { power: 1 } }, ephemeral: false });
  expect((await execute({ name: "start", ephemeral: true })).body.execution.ephemeral).toBe(true);
  expect((await execute({ arguments: {} })).status).toBe(400);
});

check("endpoints.execute-answer", async () => {
  const { execute } = await answering();
  const { body } = await execute({ name: "go" });
  expect(Object.keys(body)).toEqual(["execution"]);
  expect(body.execution).toMatchObject({
    request: { name: "go", manifest_name: "start" },
    response: { state: "SUCCEEDED", payload: { ran: "start" } },
  });
});

check("endpoints.create-runs", async () => {
  const device = await site.device(PUMP);
  const mqtt = await device.connect();
  const id = await device.started({ name: "start", arguments: { power: 7 } });
  expect(await mqtt.nextCommand()).toMatchObject({ id, name: "start", arguments: { power: 7 } });
  expect((await device.get(id)).body.execution.id).toBe(id);
});

check("endpoints.create-only-declared", async () => {
  const { create, list } = await site.device(PUMP);
  const refused = await create({ name: "fly" });
  expect([refused.status, refused.errors[0]?.code]).toEqual([404, "command_not_found"]);
  expect((await list("?retention=ALL")).body.total_count).toBe(0);
});

check("endpoints.create-body", async () => {
  const { started, get, create } = await site.device(PUMP);
  const plain = (await get(await started({ name: "start", arguments: { power: 2 } }))).body.execution;
  expect(plain).toMatchObject({ request: { name: "start", arguments: { power: 2 } }, ephemeral: false });
  expect((await get(await started({ name: "start", ephemeral: true }))).body.execution.ephemeral).toBe(true);
  expect((await create({ name: "start", ephemeral: "yes" })).status).toBe(400);
});

check("endpoints.create-answer", async () => {
  const { create } = await site.device(PUMP);
  expect((await create({ name: "start" })).body).toEqual({ execution_id: expect.any(String) });
});

check("endpoints.get", async () => {
  const { started, get } = await site.device(PUMP);
  const id = await started({ name: "stop" });
  const { status, body } = await get(id);
  expect([status, Object.keys(body), body.execution.id]).toEqual([200, ["execution"], id]);
});

check("endpoints.get-expand", async () => {
  const { execute, get } = await answering();
  const { id } = (await execute({ name: "start" })).body.execution;
  const { log = [] } = (await get(id, "?expand=log")).body.execution;
  expect(log.map(({ state }) => state)).toEqual(["SUCCEEDED", "STARTED"]);
  expect((log[0]?.received_at ?? "") > (log[1]?.received_at ?? "")).toBe(true);
});

check("endpoints.get-response", async () => {
  const device = await site.device(PUMP);
  const id = await device.started({ name: "start" });
  expect((await device.get(id)).body.execution).not.toHaveProperty("response");
  const mqtt = await device.connect();
  await (await mqtt.nextCommand()).completed({ level: 4 });
  expect((await device.get(id)).body.execution.response).toMatchObject({ state: "SUCCEEDED", payload: { level: 4 } });
});
