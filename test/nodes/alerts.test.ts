// An alert is raised, confirmed and cleared once, whichever node hears of it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { manifest } from "../support/blueprints.ts";
import { listen, type SeenEvent } from "../support/listen.ts";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { NODE_ADMIN_TOKEN, startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

test("a device that reports to both nodes at the same moment has each alert once, and its changes are published once", async () => {
  const url = await server.prepared("alerts");
  const one = await startNode({ url });
  const other = await startNode({ url, like: one });
  const site = await makeNodeSite(
    one.admin,
    manifest("Alerting", "alerts:\n  sudden: {severity: error, display_name: Sudden}\n"),
  );
  const deviceId = await site.device("Pump");
  const config = await site.configOf(deviceId);
  const devices = [await connectAt(config, one.mqttPort), await connectAt(config, other.mqttPort)];
  const listener = await listen(other.url, NODE_ADMIN_TOKEN, { query: "?kind.in=alert" });
  const changes = ({ data }: SeenEvent) => String(data["change"]);
  const report = async (alerts: readonly string[], second: number) => {
    const timestamp = Math.floor(Date.now() / 1000) - 60 + second;
    await Promise.all(devices.map((device) => device.sendTelemetry({ timestamp, alerts })));
  };
  const active = async () => (await one.admin.get(`/v3/devices/${deviceId}/alerts`)).body.total_count;
  for (let round = 0; round < 6; round++) {
    await report(["sudden"], 2 * round);
    expect(await active()).toBe(1);
    await report([], 2 * round + 1);
    expect(await active()).toBe(0);
  }
  await report(["sudden"], 20);
  await expect.poll(() => listener.seen.filter((event) => changes(event) === "raised").length).toBe(7);
  await expect.poll(() => listener.seen.filter((event) => changes(event) === "cleared").length).toBe(6);
});

test("an alert that lasts is confirmed by another node when the one that heard it is gone", async () => {
  const url = await server.prepared("hardening");
  const one = await startNode({ url });
  const other = await startNode({ url, like: one });
  const lasting = "alerts:\n  lasting: {severity: error, display_name: Lasting, grace_period: 3s}\n";
  const site = await makeNodeSite(one.admin, manifest("Lasting", lasting));
  const deviceId = await site.device("Pump");
  const device = await connectAt(await site.configOf(deviceId), one.mqttPort);
  const listener = await listen(other.url, NODE_ADMIN_TOKEN, { query: "?kind.in=alert" });
  await device.sendTelemetry({ alerts: ["lasting"] });
  await listener.next(({ data }) => data["change"] === "raised");
  await one.stop();
  await listener.next(({ data }) => data["change"] === "hardened");
});
