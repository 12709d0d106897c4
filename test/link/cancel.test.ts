// What a cloud cancels or tries: what waits in the cloud ends there, the rest is the gateway's to do.
import { expect, test } from "vitest";
import { commandsOf, type OneExecution } from "../support/command-site.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

const cancel = (device: string, execution: string) =>
  cloud.admin.post<OneExecution>(`/v3/devices/${device}/commands/executions/${execution}/cancel`, undefined);

async function makeDevice(name: string): Promise<string> {
  const id = await pair.site.device(name);
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(200));
  return id;
}

test("an execution that waits at its gateway is cancelled there, and the device never gets it", async () => {
  const id = await makeDevice("away");
  const execution = await commandsOf(cloud.admin, id).started({ name: "stop" });
  await eventually(async () => expect(await commandsOf(gateway.admin, id).ids()).toEqual([execution]));
  const cancelled = await cancel(id, execution);
  expect([cancelled.status, cancelled.body.execution?.state], cancelled.text).toEqual([200, "ERROR"]);
  await eventually(async () => expect(await commandsOf(cloud.admin, id).state(execution)).toBe("ERROR"));
  const device = await pair.site.connect(id);
  await device.log("there");
  expect(device.commands).toEqual([]);
});

test("a dry run is the gateway's to answer, and says so when the gateway is away", async () => {
  const id = await makeDevice("tried");
  const path = `/v3/devices/${id}/commands/dry_run`;
  const tried = await cloud.admin.post(path, { name: "go", arguments: { power: 5 } });
  expect([tried.status, tried.body]).toMatchObject([200, { dry_run: { arguments: { power: 5, mode: "eco" } } }]);
  expect((await cloud.admin.post(path, { name: "go", arguments: { power: 500 } })).status).toBe(400);
  pair.line.cut();
  await isLinked(gateway, false);
  await eventually(async () =>
    expect((await cloud.admin.post(path, { name: "go" })).errors[0]?.code).toBe("gateway_unreachable"),
  );
  pair.line.heal();
  await isLinked(gateway, true);
});

test("an execution that no gateway got ends in the cloud at once, and no gateway gets it later", async () => {
  const id = await makeDevice("unsent");
  pair.line.cut();
  await isLinked(gateway, false);
  await eventually(async () => {
    const { gateways } = (await cloud.admin.get<{ gateways: { connected: boolean }[] }>("/v3/gateways")).body;
    expect(gateways.map(({ connected }) => connected)).toEqual([false]);
  });
  const execution = await commandsOf(cloud.admin, id).started({ name: "stop" });
  const kept = await commandsOf(cloud.admin, id).started({ name: "start" });
  expect((await cancel(id, execution)).body.execution).toMatchObject({ state: "ERROR" });
  pair.line.heal();
  await eventually(async () => expect(await commandsOf(gateway.admin, id).ids()).toEqual([kept]));
});
