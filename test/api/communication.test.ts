// How a device communicates: `expand=communication`.
import { beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, connected, makeCommandSite } from "../support/command-site.ts";
import type { FakeDeviceConfig } from "../support/fake-device.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0", "--mqtt-tls-port", "0"]);

let site: CommandSite;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Communication");
});

async function communication(id: string): Promise<object | null> {
  const path = `/v3/devices/${id}?expand=communication`;
  return (await busbar.admin.get<{ device: { communication: object | null } }>(path)).body.device.communication;
}

async function generate(id: string, protocol: "MQTT" | "MQTTS"): Promise<FakeDeviceConfig> {
  const path = `/v3/devices/${id}/generate_config`;
  return (await busbar.admin.post<{ config: FakeDeviceConfig }>(path, { protocol })).body.config;
}

async function provision(kind: string, body: object): Promise<string> {
  const made = await busbar.admin.post<{ device_id: string }>(`/v3/provisioning/${kind}`, body);
  expect(made.status, made.text).toBe(200);
  return made.body.device_id;
}

test("a device that signs in over TLS says so, connected or not, and so does its child", async () => {
  const id = await site.device("Secure");
  expect(await communication(id)).toBeNull();
  const config = await generate(id, "MQTTS");
  const child = await provision("child_device", { name: "Inner", parent_id: id, child_type: "x" });
  const secure = { type: "MQTT_V1_TLS", hardware_id: config.hardware_id, channel_id: config.channel_id };
  expect(await communication(id)).toEqual(secure);
  const device = await connected(config);
  await device.sendTelemetry({});
  expect(await communication(id)).toEqual(secure);
  expect(await communication(child)).toEqual({ ...secure, upstream_id: id, channel_id: "inner" });
});

test("a device that is connected without encryption from this machine is on localhost, as long as it is connected", async () => {
  const id = await site.device("Plain");
  const config = await generate(id, "MQTT");
  const type = async () => ((await communication(id)) as { type: string }).type;
  expect(await type()).toBe("MQTT_V1_PLAINTEXT");
  const device = await connected(config);
  await vi.waitFor(async () => expect(await type()).toBe("MQTT_V1_LOCALHOST"), PATIENT);
  await device.close();
  await vi.waitFor(async () => expect(await type()).toBe("MQTT_V1_PLAINTEXT"), PATIENT);
});

test("a script, a simulation and the gateway have no connection of their own", async () => {
  const gateways = `/v3/sites/${site.siteId}/devices?type.in=GATEWAY&expand=communication`;
  const { body } = await busbar.admin.get<{ devices: readonly { id: string; communication: null }[] }>(gateways);
  const [gateway] = body.devices;
  expect(gateway?.communication).toBeNull();
  const model = { name: "Simulated", site_id: site.siteId, blueprint_id: site.blueprintId };
  const simulated = await provision("simulated_device", model);
  expect(await communication(simulated)).toBeNull();
  const bytes = Buffer.from("blueprint_spec: device/3.0\ndisplay_name: Script\nruntime: {type: lua}\n");
  const uploaded = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const blueprint_id = uploaded.body.blueprint.id;
  const script = await provision("lua_device", { name: "Script", site_id: site.siteId, blueprint_id });
  expect(await communication(script)).toEqual({ type: "UCM_LUA" });
  const placed = { name: "Placed", runtime_id: gateway?.id, blueprint_id };
  expect(await communication(await provision("lua_device", placed))).toEqual({
    type: "UCM_LUA",
    upstream_id: gateway?.id,
  });
});
