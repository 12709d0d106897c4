// A device of the chaos tests that takes commands.
import { commandManifest } from "../support/command-site.ts";
import type { FakeDeviceConfig } from "../support/fake-device.ts";
import { send } from "./send.ts";
import type { Victim } from "./victim.ts";

export async function makeCommandDevice(
  victim: Victim,
): Promise<{ readonly deviceId: string; readonly config: FakeDeviceConfig }> {
  const post = async (path: string, body: unknown) => (await send(victim, { method: "POST", path, body })).body;
  const siteId = (await send(victim, { method: "GET", path: "/v3/sites" })).body.sites?.[0]?.id;
  const { blueprint } = await post("/v3/blueprints/upload", commandManifest("Chaos"));
  const body = { name: "Counter", site_id: siteId, blueprint_id: blueprint?.id };
  const deviceId = (await post("/v3/provisioning/standalone", body)).device_id ?? "";
  const { config } = await post(`/v3/devices/${deviceId}/generate_config`, { protocol: "MQTT" });
  return { deviceId, config: config as FakeDeviceConfig };
}
