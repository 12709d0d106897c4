// A site with a device, for tests of several nodes.
import { onTestFinished } from "vitest";
import { commandManifest } from "./command-site.ts";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "./fake-device.ts";
import type { Session } from "./session.ts";

export interface NodeSite {
  readonly siteId: string;
  readonly blueprintId: string;
  device(name: string): Promise<string>;
  configOf(deviceId: string): Promise<FakeDeviceConfig>;
}

export async function makeNodeSite(admin: Session, manifest = commandManifest("Node device")): Promise<NodeSite> {
  const post = async (path: string, body: unknown) => {
    let answer = await admin.post(path, body);
    // A busy machine may be too slow for a limit.
    for (let tries = 0; answer.status === 503 && tries < 10; tries++) answer = await admin.post(path, body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const siteId: string = (await post("/v3/sites", { name: "Two nodes" })).site.id;
  const blueprintId: string = (await post("/v3/blueprints/upload", manifest)).blueprint.id;
  return {
    siteId,
    blueprintId,
    device: async (name) =>
      (await post("/v3/provisioning/standalone", { name, site_id: siteId, blueprint_id: blueprintId })).device_id,
    configOf: async (deviceId) => (await post(`/v3/devices/${deviceId}/generate_config`, { protocol: "MQTT" })).config,
  };
}

/** Connects to the broker on this port, and answers every command with what it is. */
export async function connectAt(config: FakeDeviceConfig, port: number | undefined): Promise<FakeDevice> {
  if (port === undefined) throw new Error("no broker runs");
  const device = await connectFakeDevice({ ...config, mqtt_host: "127.0.0.1", mqtt_port: port });
  device.onCommand((command) => command.completed({ by: config.hardware_id }));
  onTestFinished(() => device.drop());
  return device;
}
