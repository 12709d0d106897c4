// A gateway and a cloud, both real, linked over a real WebSocket that can be cut.
import { expect, test } from "vitest";
import { commandsOf } from "../support/command-site.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { withoutDoor } from "./compare-records.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

interface WireDevice {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly connectivity: { readonly status: string };
}

const inCloud = async (id: string) =>
  (await cloud.admin.get<{ device: WireDevice }>(`/v3/devices/${id}?expand=connectivity,properties`)).body.device;

/** Of the device that stands for the gateway itself. */
async function gatewayStatus(): Promise<string | undefined> {
  const path = `/v3/sites/${pair.site.siteId}/devices?expand=connectivity`;
  const { body } = await cloud.admin.get<{ devices: (WireDevice & { type: string })[] }>(path);
  return body.devices.find(({ type }) => type === "GATEWAY")?.connectivity.status;
}

test("sites, devices, blueprints and properties of the gateway appear in the cloud, under the same ids", async () => {
  const id = await pair.site.device("pump");
  const device = await pair.site.connect(id);
  await device.sendProperties({ firmware: "7.1" });
  await eventually(async () => {
    expect(await inCloud(id)).toMatchObject({
      name: "pump",
      site_id: pair.site.siteId,
      connectivity: { status: "ONLINE" },
      properties: { firmware: "7.1" },
    });
  });
  const { body } = await cloud.admin.get<{ manifest: object }>(`/v3/devices/${id}/manifest`);
  const here = await gateway.admin.get<{ manifest: object }>(`/v3/devices/${id}/manifest`);
  expect(body.manifest).toEqual(here.body.manifest);
  expect(await gatewayStatus()).toBe("ONLINE");
  const sites = await cloud.admin.get<{ sites: { id: string; name: string }[] }>("/v3/sites");
  expect(sites.body.sites.map(({ name }) => name)).toContain("linked");
});

test("a change on the gateway, a deletion too, follows in the cloud", async () => {
  const id = await pair.site.device("fan");
  await eventually(async () => expect((await inCloud(id))?.name).toBe("fan"));
  await gateway.admin.patch(`/v3/devices/${id}`, { name: "big fan" });
  await eventually(async () => expect((await inCloud(id)).name).toBe("big fan"));
  await gateway.admin.delete(`/v3/devices/${id}`);
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(404));
});

test("secrets of devices are made, and sites deleted, on the gateway alone; this is said before anything else", async () => {
  const id = await pair.site.device("valve");
  await eventually(async () => expect((await inCloud(id))?.name).toBe("valve"));
  const refusals = await Promise.all([
    cloud.admin.post("/v3/provisioning/vucm", { name: "x", site_id: pair.site.siteId }),
    cloud.admin.post(`/v3/devices/${id}/generate_config`, { protocol: "MQTT" }),
    cloud.admin.delete(`/v3/sites/${pair.site.siteId}`),
  ]);
  expect(refusals.map(({ status, errors }) => [status, errors[0]?.code])).toEqual(
    refusals.map(() => [409, "owned_by_gateway"]),
  );
});

test("a command in the cloud runs once on the gateway, and the caller gets its answer", async () => {
  const id = await pair.site.device("motor");
  const device = await pair.site.connect(id);
  device.onCommand(async (command) => {
    await command.log({ percent: 50 });
    await command.completed({ done: true });
  });
  await eventually(async () => expect((await inCloud(id))?.connectivity.status).toBe("ONLINE"));
  const { body, text } = await commandsOf(cloud.admin, id).execute({ name: "start", arguments: { power: 3 } });
  expect(body.execution, text).toMatchObject({ state: "SUCCESS", request: { name: "start" } });
  expect(device.commands).toHaveLength(1);
  const read = async ({ admin }: typeof cloud) =>
    (await commandsOf(admin, id).get(body.execution.id, "?expand=log")).body.execution;
  const [there, here] = [await read(cloud), await read(gateway)];
  expect(withoutDoor(there)).toEqual(withoutDoor(here));
  expect([there.requested_by?.door, here.requested_by?.door]).toEqual(["token", "cloud"]);
});

test("an execution that was created on the gateway is seen in the cloud, with its whole log", async () => {
  const id = await pair.site.device("heater");
  const device = await pair.site.connect(id);
  device.onCommand((command) => command.completed({ warm: true }));
  const { body } = await commandsOf(gateway.admin, id).execute({ name: "start" });
  await eventually(async () => {
    const there = await commandsOf(cloud.admin, id).get(body.execution.id, "?expand=log");
    const here = await commandsOf(gateway.admin, id).get(body.execution.id, "?expand=log");
    expect(there.body).toEqual(here.body);
  });
});

test("while the line is cut an accepted execution is UNSYNC, and it becomes what the gateway knows", async () => {
  const id = await pair.site.device("crane");
  const device = await pair.site.connect(id);
  await eventually(async () => expect((await inCloud(id))?.connectivity.status).toBe("ONLINE"));
  const there = commandsOf(cloud.admin, id);
  const execution = await there.started({ name: "start" });
  const command = await device.nextCommand("start");
  await eventually(async () => expect(await there.state(execution)).toBe("IN_PROGRESS"));
  pair.line.cut();
  await eventually(async () => expect(await there.state(execution)).toBe("UNSYNC"));
  expect((await inCloud(id)).connectivity.status).toBe("UNKNOWN");
  expect(await gatewayStatus()).toBe("OFFLINE");
  await command.completed({ lifted: 1 });
  expect(await commandsOf(gateway.admin, id).state(execution)).toBe("SUCCESS");
  expect(await there.state(execution)).toBe("UNSYNC");
  pair.line.heal();
  await eventually(async () => expect(await there.state(execution)).toBe("SUCCESS"));
  const here = commandsOf(gateway.admin, id);
  expect(withoutDoor((await there.get(execution, "?expand=log")).body.execution)).toEqual(
    withoutDoor((await here.get(execution, "?expand=log")).body.execution),
  );
  expect(device.commands).toHaveLength(1);
});

test("a command that is created while the line is cut waits as NEW and runs when it is back", async () => {
  const id = await pair.site.device("gate");
  const device = await pair.site.connect(id);
  device.onCommand((command) => command.completed());
  await eventually(async () => expect((await inCloud(id))?.connectivity.status).toBe("ONLINE"));
  pair.line.cut();
  await isLinked(gateway, false);
  await eventually(async () => expect((await inCloud(id)).connectivity.status).toBe("UNKNOWN"));
  const there = commandsOf(cloud.admin, id);
  const execution = await there.started({ name: "start" });
  expect(await there.state(execution)).toBe("NEW");
  pair.line.heal();
  await eventually(async () => expect(await there.state(execution)).toBe("SUCCESS"));
  expect(device.commands).toHaveLength(1);
});

test("what changed while the line was cut is sent when it is back", async () => {
  pair.line.cut();
  await isLinked(gateway, false);
  const id = await pair.site.device("lamp");
  const device = await pair.site.connect(id);
  device.onCommand((command) => command.completed());
  const { body } = await commandsOf(gateway.admin, id).execute({ name: "start" });
  pair.line.heal();
  await eventually(async () => {
    expect(await commandsOf(cloud.admin, id).state(body.execution.id)).toBe("SUCCESS");
  });
});

test("after a restart of either side the two agree again", async () => {
  const id = await pair.site.device("press");
  await eventually(async () => expect((await inCloud(id))?.name).toBe("press"));
  await gateway.restart();
  await gateway.admin.patch(`/v3/devices/${id}`, { name: "press 2" });
  await eventually(async () => expect((await inCloud(id)).name).toBe("press 2"));
  await isLinked(gateway, true);
});

test("a revoked gateway is disconnected and not let in again", async () => {
  const { body } = await cloud.admin.get<{ gateways: { id: string; name: string; connected: boolean }[] }>(
    "/v3/gateways",
  );
  expect(body.gateways).toMatchObject([{ name: "North", connected: true }]);
  await cloud.admin.delete(`/v3/gateways/${body.gateways[0]?.id}`);
  await eventually(async () => {
    const { body: uplink } = await gateway.admin.get<{ connected: boolean; last_error: string }>("/v3/uplink");
    expect(uplink).toMatchObject({ connected: false, last_error: expect.stringContaining("revoked") });
  });
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  expect((await gateway.admin.get("/v3/uplink")).status).toBe(404);
});
