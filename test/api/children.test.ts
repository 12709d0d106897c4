// Devices of type CHILD: reached over the connection of the device that they hang on.
import { beforeAll, expect, test, vi } from "vitest";
import type { Device } from "#client/resources.ts";
import { check } from "../support/check.ts";
import { type CommandSite, commandsOf, connected, makeCommandSite } from "../support/command-site.ts";
import type { FakeDevice } from "../support/fake-device.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";
import { createInbox } from "../support/topic-inbox.ts";

const clocks = createMovableClocks();
const busbar = useServer(["--mqtt-port", "0", "--commands-response-timeout", "20s"], { clocks });
const registering = useServer(["--mqtt-port", "0", "--devices-register-children"]);

let site: CommandSite;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Children");
});

async function provisionChild(parent_id: string, name: string, fields: object = {}): Promise<string> {
  const body = { name, parent_id, child_type: "string", blueprint_id: site.blueprintId, ...fields };
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/child_device", body);
  if (made.status !== 200) throw new Error(made.text);
  return made.body.device_id;
}

const status = async (id: string) =>
  (await busbar.admin.get<{ device: Device }>(`/v3/devices/${id}?expand=connectivity`)).body.device.connectivity
    ?.status;

/** A parent with children, connected; `to` and `from` are the beginnings of its topics. */
async function setUp(name: string, children: readonly string[]) {
  const parentId = await site.device(name);
  const ids: string[] = [];
  for (const child of children) ids.push(await provisionChild(parentId, child));
  const config = await site.configOf(parentId);
  const [to, from] = [`v1/to/${config.hardware_id}`, `v1/from/${config.hardware_id}`];
  const connect = (): Promise<FakeDevice> => connected(config, { listen: false });
  return { parentId, ids, config, to, from, connect };
}

check("commands.child-over-parent", async () => {
  const { ids, to, from, connect } = await setUp("Inverter", ["String A", "String B"]);
  const [a = "", b = ""] = ids;
  const parent = await connect();
  const inbox = createInbox(parent.client);
  await parent.client.subscribeAsync([`${to}/main/v1/command/requests`, `${to}/string-a/v1/command/requests`], {
    qos: 1,
  });
  const running = commandsOf(busbar.admin, a).execute({ name: "go", arguments: { power: 5 } });
  const { topic, body } = await inbox.next();
  expect(topic).toBe(`${to}/string-a/v1/command/requests`);
  expect(body).toMatchObject({ name: "start", arguments: { power: 5, mode: "eco" } });
  expect(Object.keys(body).sort()).toEqual(["arguments", "id", "name"]);
  const respond = (channel: string, state: string, payload: object) =>
    parent.client.publishAsync(
      `${from}/${channel}/v1/command/responses`,
      JSON.stringify({ id: body["id"], state, payload }),
      { qos: 1 },
    );
  // Neither the parent itself nor another child can answer for it.
  await respond("main", "completed", { wrong: 1 });
  await respond("string-b", "completed", { wrong: 2 });
  await respond("string-a", "log", { percent: 50 });
  await respond("string-a", "completed", { done: true });
  const { execution } = (await running).body;
  expect(execution).toMatchObject({ device_id: a, state: "SUCCESS", response: { payload: { done: true } } });
  // For the other child nobody listens, so its command waits; then it is delivered.
  const id = await commandsOf(busbar.admin, b).started({ name: "stop" });
  expect(await commandsOf(busbar.admin, b).state(id)).toBe("NEW");
  await parent.client.subscribeAsync(`${to}/+/v1/command/requests`, { qos: 1 });
  const waited = await inbox.next();
  expect([waited.topic, waited.body["id"]]).toEqual([`${to}/string-b/v1/command/requests`, id]);
  await parent.client.publishAsync(
    `${from}/string-b/v1/command/responses`,
    JSON.stringify({ id, state: "error", payload: "jammed" }),
    { qos: 1 },
  );
  expect((await commandsOf(busbar.admin, b).get(id)).body.execution).toMatchObject({
    state: "ERROR",
    response: { payload: { message: "jammed" } },
  });
});

test("telemetry, properties, logs and configuration of a child travel the same way, under its own blueprint", async () => {
  const { ids, to, from, connect, parentId } = await setUp("Stack", ["Cell 1"]);
  const [cell = ""] = ids;
  const parent = await connect();
  const inbox = createInbox(parent.client);
  await parent.client.subscribeAsync(`${to}/cell-1/v1/configuration`, { qos: 1 });
  expect((await inbox.next()).body).toMatchObject({ network: { port: 502 } });
  const publish = (rest: string, values: object) =>
    parent.client.publishAsync(`${from}/cell-1/${rest}`, JSON.stringify(values), { qos: 1 });
  await publish("v1/properties", { firmware: "9.1" });
  await publish("v1/register", { serial: 7, name: "not used", child_type: "x" });
  await publish("v1/telemetry", { alerts: ["hot"] });
  await publish("v3/logs", { message: "from the cell" });
  const path = `/v3/devices/${cell}`;
  expect((await busbar.admin.get(`${path}/properties`)).body).toEqual({ properties: { firmware: "9.1", serial: 7 } });
  expect((await busbar.admin.get(`${path}/logs`)).text).toContain("from the cell");
  const now = await busbar.admin.get(`/telemetry/v1/now?devices[${cell}]=alerts`);
  expect(now.body).toMatchObject({ devices: { [cell]: { alerts: { value: ["hot"] } } } });
  expect((await busbar.admin.get(`/v3/devices/${parentId}/properties`)).body).toEqual({ properties: {} });
  const put = { host: "h.example", port: 503 };
  await busbar.admin.call("PUT", `${path}/configuration/network`, { json: put });
  expect((await inbox.next()).body).toMatchObject({ network: put });
});

check("commands.child-without-parent", async () => {
  const { ids, to, connect } = await setUp("Gone", ["Part"]);
  const [part = ""] = ids;
  expect(await status(part)).toBe("UNKNOWN");
  const parent = await connect();
  await parent.client.subscribeAsync(`${to}/#`, { qos: 1 });
  await vi.waitFor(async () => expect(await status(part)).toBe("ONLINE"), PATIENT);
  parent.drop();
  await vi.waitFor(async () => expect(await status(part)).toBe("OFFLINE"), PATIENT);
  const id = await commandsOf(busbar.admin, part).started({ name: "stop" });
  expect(await commandsOf(busbar.admin, part).state(id)).toBe("NEW");
  const again = await connect();
  const inbox = createInbox(again.client);
  await again.client.subscribeAsync(`${to}/part/v1/command/requests`, { qos: 1 });
  expect((await inbox.next()).body["id"]).toBe(id);
  again.drop();
  await vi.waitFor(async () => expect(await status(part)).toBe("OFFLINE"), PATIENT);
  const unreachable = await commandsOf(busbar.admin, part).started({ name: "stop" });
  clocks.advance(20_000);
  await expect.poll(() => commandsOf(busbar.admin, part).state(unreachable)).toBe("TIMEOUT");
});

test("a device touches only its own topics and those of its children, near and far", async () => {
  const { ids, to, from, connect, parentId } = await setUp("Strict", ["Near"]);
  const stranger = await setUp("Stranger", ["Foreign"]);
  await provisionChild(ids[0] ?? "", "Far");
  const parent = await connect();
  const granted = async (filter: string) => {
    try {
      const [grant] = await parent.client.subscribeAsync(filter, { qos: 1 });
      return (grant?.qos ?? 128) < 3;
    } catch {
      return false;
    }
  };
  for (const channel of ["main", "near", "far", "+"]) {
    expect([channel, await granted(`${to}/${channel}/v1/command/requests`)]).toEqual([channel, true]);
  }
  for (const filter of [
    `${to}/foreign/v1/command/requests`,
    `${to}/nobody/#`,
    `${stranger.to}/foreign/v1/command/requests`,
    `${stranger.to}/#`,
    `v1/to/+/near/v1/command/requests`,
  ]) {
    expect([filter, await granted(filter)]).toEqual([filter, false]);
  }
  const foreign = stranger.ids[0] ?? "";
  for (const prefix of [from, stranger.from]) {
    await parent.client.publishAsync(`${prefix}/foreign/v1/properties`, '{"firmware":"x"}', { qos: 1 });
  }
  expect((await busbar.admin.get(`/v3/devices/${foreign}/properties`)).body).toEqual({ properties: {} });
  expect((await busbar.admin.get(`/v3/devices/${parentId}/logs`)).text).toContain("or one of its children");
});

test("what a child is reached by is shown, and nobody signs in as one", async () => {
  const { ids, config, parentId } = await setUp("Parent", ["Named"]);
  const [named = ""] = ids;
  const { device } = (
    await busbar.admin.get<{ device: { communication: object } }>(`/v3/devices/${named}?expand=communication`)
  ).body;
  expect(device.communication).toEqual({
    type: "MQTT_V1_PLAINTEXT",
    upstream_id: parentId,
    hardware_id: config.hardware_id,
    channel_id: "named",
  });
  const refused = await busbar.admin.post(`/v3/devices/${named}/generate_config`, { protocol: "MQTT" });
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("on the channel named")]);
  const taken = await busbar.admin.post("/v3/provisioning/child_device", {
    name: "Own channel",
    slug: "main",
    parent_id: parentId,
    child_type: "x",
  });
  expect(taken.errors[0]?.details).toEqual({ pointer: "/slug" });
  const renamed = await busbar.admin.patch(`/v3/devices/${named}`, { slug: "main" });
  expect(renamed.errors[0]?.details).toEqual({ pointer: "/slug" });
});

test("a parent adds its children itself, where the setting allows it", async () => {
  for (const [server, isAllowed] of [
    [registering, true],
    [busbar, false],
  ] as const) {
    const place = await makeCommandSite(server, "Registering");
    const parentId = await place.device("Rack");
    const parent = await place.connect(parentId);
    const inbox = createInbox(parent.client);
    const { username } = parent.client.options as { username?: string };
    const announce = (channel: string, about: object) =>
      parent.client.publishAsync(`v1/from/${username}/${channel}/v1/register`, JSON.stringify(about), { qos: 1 });
    await announce("module-1", {
      name: "Module 1",
      child_type: "module",
      blueprint_id: place.blueprintId,
      firmware: "3",
    });
    await announce("module-1", { name: "Module 1", child_type: "module", firmware: "4" });
    await announce("not a slug", {});
    await announce("rack", {});
    const { devices } = (
      await server.admin.get<{ devices: readonly Device[] }>(
        `/v3/sites/${place.siteId}/devices?parent_id.in=${parentId}`,
      )
    ).body;
    const { text: log } = await server.admin.get(`/v3/devices/${parentId}/logs`);
    if (!isAllowed) {
      expect(devices).toEqual([]);
      expect(log).toContain('there is no child \\"module-1\\"; add it as a device of type CHILD');
      continue;
    }
    expect(devices).toMatchObject([{ name: "Module 1", slug: "module-1", type: "CHILD", child_type: "module" }]);
    expect(log).toContain("cannot be the slug of a child");
    const child = devices[0]?.id ?? "";
    expect((await server.admin.get(`/v3/devices/${child}/properties`)).body).toEqual({ properties: { firmware: "4" } });
    const audit = await server.admin.get("/v3/audit?action.in=registerChild");
    expect(audit.body).toMatchObject({ entries: [{ actor: { name: "rack" }, target: { device_id: child } }] });
    await parent.client.subscribeAsync(`v1/to/${username}/module-1/v1/command/requests`, { qos: 1 });
    const id = await commandsOf(server.admin, child).started({ name: "stop" });
    await vi.waitFor(() => expect(inbox.all().map(({ body }) => body["id"])).toContain(id), PATIENT);
  }
});
