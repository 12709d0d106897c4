// The command endpoints: execute, create, get, and the lists of a device and of a site.
import { expect } from "vitest";
import type { ExecutionPage } from "../support/command-site.ts";
import { check } from "./check.ts";
import { type SiteDevice, useSite } from "./use-site.ts";

const site = useSite();
const { busbar } = site;

const manifest = (name: string, more = "") => `blueprint_spec: device/3.0
display_name: ${name}
runtime: {type: embedded}
${more}
command_groups: {main: {display_name: Main}}
commands:
  start: {group: main, display_name: Start, aliases: [go], arguments: {power: {type: float, display_name: Power}}}
  stop: {group: main, display_name: Stop}
`;
const PUMP = manifest("Pump");
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

/** A device with executions of these commands, a minute apart; gives their ids. */
async function withExecutions(...names: readonly string[]) {
  const device = await site.device(PUMP);
  const ids: string[] = [];
  for (const word of names) {
    const [name, isEphemeral] = word.split("*");
    ids.push(await device.started({ name, ...(isEphemeral !== undefined && { ephemeral: true }) }));
    site.advance(60_000);
  }
  const createdAt = async (index: number) => (await device.get(ids[index] ?? "")).body.execution.created_at;
  return { device, ids, createdAt };
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

check("endpoints.list", async () => {
  const { device, ids } = await withExecutions("start", "stop");
  await withExecutions("start");
  expect(await device.ids()).toEqual(ids);
});

check("endpoints.list-limit", async () => {
  const { device, ids } = await withExecutions("start", "stop", "start");
  expect(await device.ids("?limit=2")).toEqual(ids.slice(0, 2));
  expect(await device.ids("?limit=9")).toEqual(ids);
});

check("endpoints.list-offset", async () => {
  const { device, ids } = await withExecutions("start", "stop", "start");
  expect(await device.ids("?offset=1")).toEqual(ids.slice(1));
  expect(await device.ids("?offset=1&limit=1")).toEqual(ids.slice(1, 2));
});

check("endpoints.list-offset-beyond", async () => {
  const { device } = await withExecutions("start", "stop");
  expect((await device.list("?offset=3")).body).toEqual({ executions: [], total_count: 2 });
});

check("endpoints.list-retention", async () => {
  const { device, ids } = await withExecutions("start", "stop*", "start");
  const [first, short, last] = ids;
  expect(await device.ids()).toEqual([first, last]);
  expect(await device.ids("?retention=PERSISTENT")).toEqual([first, last]);
  expect(await device.ids("?retention=EPHEMERAL")).toEqual([short]);
  expect(await device.ids("?retention=ALL")).toEqual(ids);
});

check("endpoints.list-order", async () => {
  const { device, ids } = await withExecutions("start", "stop", "start");
  expect(await device.ids()).toEqual(ids);
  expect(await device.ids("?order=CREATED_AT_ASC")).toEqual(ids);
  expect(await device.ids("?order=CREATED_AT_DESC")).toEqual(ids.toReversed());
});

check("endpoints.list-created-gte", async () => {
  const { device, ids, createdAt } = await withExecutions("start", "stop", "start");
  expect(await device.ids(`?created_at.gte=${await createdAt(1)}`)).toEqual(ids.slice(1));
});

check("endpoints.list-created-lt", async () => {
  const { device, ids, createdAt } = await withExecutions("start", "stop", "start");
  const later = new Date(Date.parse(await createdAt(1)) + 1).toISOString();
  expect(await device.ids(`?created_at.lt=${later}`)).toEqual(ids.slice(0, 2));
});

check("endpoints.list-name-in", async () => {
  const { device, ids } = await withExecutions("start", "stop", "start");
  expect(await device.ids("?name.in=stop")).toEqual([ids[1]]);
  expect(await device.ids("?name.in=stop,start")).toEqual(ids);
});

check("endpoints.list-state-in", async () => {
  const { device, ids } = await withExecutions("start", "stop");
  const fresh = await device.started({ name: "stop" });
  await expect.poll(() => device.state(ids[1] ?? "")).toBe("TIMEOUT");
  expect(await device.ids("?state.in=TIMEOUT")).toEqual(ids);
  expect(await device.ids("?state.in=NEW")).toEqual([fresh]);
  expect(await device.ids("?state.in=NEW,TIMEOUT")).toEqual([...ids, fresh]);
});

check("endpoints.list-answer", async () => {
  const { device } = await withExecutions("start", "stop");
  const { body } = await device.list();
  expect(Object.keys(body).sort()).toEqual(["executions", "total_count"]);
  expect([body.executions.length, body.total_count]).toEqual([2, 2]);
});

const ofSite = (siteId: string, query = "") =>
  busbar.admin.get<ExecutionPage>(`/v3/sites/${siteId}/commands/executions${query}`);
const idsOfSite = async (siteId: string, query = "") =>
  (await ofSite(siteId, query)).body.executions.map(({ id }) => id);

/** A site with two devices of these manifests and an execution of each. */
async function siteWithTwo(first = PUMP, second = PUMP) {
  const siteId = await site.newSite();
  const devices = [await site.device(first, { site_id: siteId }), await site.device(second, { site_id: siteId })];
  const ids: string[] = [];
  for (const device of devices) {
    ids.push(await device.started({ name: "start" }));
    site.advance(1_000);
  }
  return { siteId, devices, ids };
}

check("endpoints.site-list", async () => {
  const { siteId, ids } = await siteWithTwo();
  await siteWithTwo();
  expect(await idsOfSite(siteId)).toEqual(ids);
});

check("endpoints.site-list-parameters", async () => {
  const { siteId, ids, devices } = await siteWithTwo();
  const short = (await devices[0]?.started({ name: "stop", ephemeral: true })) ?? "";
  const created = (await devices[1]?.get(ids[1] ?? ""))?.body.execution.created_at;
  for (const [query, expected] of [
    ["?limit=1", ids.slice(0, 1)],
    ["?offset=1", ids.slice(1)],
    ["?retention=EPHEMERAL", [short]],
    ["?order=CREATED_AT_DESC", ids.toReversed()],
    [`?created_at.gte=${created}`, ids.slice(1)],
    [`?created_at.lt=${created}`, ids.slice(0, 1)],
    ["?name.in=stop&retention=ALL", [short]],
    ["?state.in=SUCCESS", []],
  ] as const) {
    expect(await idsOfSite(siteId, query), query).toEqual(expected);
  }
});

check("endpoints.site-list-device-ids", async () => {
  const { siteId, ids, devices } = await siteWithTwo();
  expect(await idsOfSite(siteId, `?device_id.in=${devices[1]?.id}`)).toEqual([ids[1]]);
  expect(await idsOfSite(siteId, `?device_id.in=${devices.map(({ id }) => id).join()}`)).toEqual(ids);
});

check("endpoints.site-list-profiles", async () => {
  const both = manifest("Both", "implements: [sensor.rain, energy.battery]");
  const { siteId, ids } = await siteWithTwo(manifest("One", "implements: sensor.rain"), both);
  expect(await idsOfSite(siteId, "?device.profiles.has_all=sensor.rain")).toEqual(ids);
  expect(await idsOfSite(siteId, "?device.profiles.has_all=sensor.rain,energy.battery")).toEqual([ids[1]]);
});

/** A site with two parents; the first one has a child of type cell, the second one of type rack. */
async function siteWithChildren() {
  const { siteId, devices } = await siteWithTwo();
  const ids: string[] = [];
  for (const [index, child_type] of ["cell", "rack"].entries()) {
    const { body } = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/child_device", {
      name: child_type,
      parent_id: devices[index]?.id,
      child_type,
      blueprint_id: await site.blueprint(PUMP),
    });
    ids.push(await site.deviceAt(body.device_id).started({ name: "stop" }));
    site.advance(1_000);
  }
  return { siteId, parents: devices.map(({ id }) => id), ids };
}

check("endpoints.site-list-child-types", async () => {
  const { siteId, ids } = await siteWithChildren();
  expect(await idsOfSite(siteId, "?device.child_type.in=cell")).toEqual([ids[0]]);
  expect(await idsOfSite(siteId, "?device.child_type.in=cell,rack")).toEqual(ids);
});

check("endpoints.site-list-parents", async () => {
  const { siteId, ids, parents } = await siteWithChildren();
  expect(await idsOfSite(siteId, `?device.parent_id.in=${parents[1]}`)).toEqual([ids[1]]);
  expect(await idsOfSite(siteId, `?device.parent_id.in=${parents.join()}`)).toEqual(ids);
});

check("endpoints.site-list-answer", async () => {
  const { siteId, devices } = await siteWithTwo();
  const { body } = await ofSite(siteId);
  expect(Object.keys(body).sort()).toEqual(["executions", "total_count"]);
  expect(body.total_count).toBe(2);
  expect(body.executions[0]).toEqual((await devices[0]?.list())?.body.executions[0]);
});
