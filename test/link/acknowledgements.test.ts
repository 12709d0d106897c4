// Alerts that are acknowledged in the cloud, and windows that are set there: the gateway makes the change.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Alert } from "#client/resources.ts";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import type { TestServer } from "../support/server.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;
let id: string;
let mqtt: FakeDevice;
beforeAll(async () => {
  id = await pair.site.device("alerting");
  const path = `/v3/devices/${id}/generate_config`;
  const { body } = await gateway.admin.post<{ config: FakeDeviceConfig }>(path, { protocol: "MQTT" });
  mqtt = await connectFakeDevice(body.config, { listen: false });
  await mqtt.sendTelemetry({ alerts: ["hot"], timestamp: Date.now() / 1_000 });
  await eventually(async () => expect(await alertsOf(cloud)).toHaveLength(1));
});
afterAll(async () => await mqtt.close());

const alertsOf = async ({ admin }: TestServer) =>
  (await admin.get<{ alerts: readonly Alert[] }>(`/v3/devices/${id}/alerts`)).body.alerts ?? [];
const commentOf = async (server: TestServer) => (await alertsOf(server))[0]?.acknowledgement?.comment;

test("an acknowledgement in the cloud is made by the gateway, with the name of the cloud's token, and known on both sides", async () => {
  const answer = await cloud.admin.post<{ alerts: readonly Alert[] }>(`/v3/devices/${id}/alerts/hot/acknowledge`, {
    comment: "from afar",
  });
  expect(answer.body.alerts[0]?.acknowledgement).toMatchObject({ by: { name: "admin" }, comment: "from afar" });
  expect([await commentOf(gateway), await commentOf(cloud)]).toEqual(["from afar", "from afar"]);
  await cloud.admin.post(`/v3/devices/${id}/alerts/hot/unacknowledge`, {});
  expect([await commentOf(gateway), await commentOf(cloud)]).toEqual([undefined, undefined]);
});

test("a window of the cloud is the gateway's, and read from there", async () => {
  const base = `/v3/sites/${pair.site.siteId}/maintenance`;
  const made = await cloud.admin.post<{ window: { id: string } }>(base, {
    until: new Date(Date.now() + 3_600_000).toISOString(),
  });
  for (const { admin } of [gateway, cloud])
    expect((await admin.get<{ windows: readonly object[] }>(base)).body.windows).toHaveLength(1);
  expect((await cloud.admin.post(`${base}/${made.body.window.id}/end`, undefined)).status).toBe(200);
  expect((await alertsOf(gateway))[0]?.silenced_until).toBeUndefined();
});

test("an acknowledgement waits for a gateway that is away, and counts in the cloud at once", async () => {
  pair.line.cut();
  await isLinked(gateway, false);
  const path = `/v3/devices/${id}/alerts/hot/acknowledge`;
  const answer = await cloud.admin.post<{ pending_change: { state: string } }>(path, { comment: "later" });
  expect(answer.body.pending_change.state).toBe("PENDING");
  expect(await commentOf(cloud)).toBe("later");
  pair.line.heal();
  await eventually(async () => expect(await commentOf(gateway)).toBe("later"));
});
