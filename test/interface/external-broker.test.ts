// Devices at a broker that somebody else runs. It needs Mosquitto; without it these checks are left out.
import { afterAll, expect } from "vitest";
import { check } from "../support/check.ts";
import { connected } from "../support/command-site.ts";
import { hasMosquitto, startMosquitto } from "../support/mosquitto.ts";
import { ADMIN_TOKEN } from "../support/server.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith } from "../support/validate.ts";

const DEVICE = manifestWith(`telemetry: {power: {type: float, display_name: P}}
command_groups: {g: {display_name: G}}
commands: {run: {group: g, display_name: Run}}`);

if (hasMosquitto) {
  const broker = await startMosquitto("anyone");
  // Hooks run in reverse order: the site stops first.
  afterAll(() => broker.stop());
  const site = useSite([], { env: { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN, BUSBAR_MQTT_URL: broker.url } });

  const online = async (device: { read(expand: string): Promise<Readonly<Record<string, unknown>>> }) =>
    ((await device.read("connectivity"))["connectivity"] as { status: string }).status;

  check("mqtt.external-broker", async () => {
    for (const protocolVersion of [4, 5] as const) {
      const device = await site.device(DEVICE);
      const mqtt = await connected(await device.config(), { protocolVersion });
      mqtt.onCommand((command) => command.completed({ version: protocolVersion }));
      await mqtt.sendTelemetry({ timestamp: 5, power: 1 });
      await expect.poll(() => device.now("power")).toEqual({ power: { value: 1, timestamp: 5 } });
      const { body } = await device.execute({ name: "run" });
      expect(body.execution).toMatchObject({ state: "SUCCESS", response: { payload: { version: protocolVersion } } });
    }
  });

  check("running.mqtt-url", async () => {
    const config = await (await site.device(DEVICE)).config();
    expect([config.mqtt_host, config.mqtt_port]).toEqual(["127.0.0.1", broker.port]);
  });

  check("values.online-by-messages", async () => {
    const device = await site.device(DEVICE);
    const mqtt = await device.connect();
    expect(await online(device)).toBe("UNKNOWN");
    await mqtt.sendTelemetry({ power: 1 });
    await expect.poll(() => online(device)).toBe("ONLINE");
    site.advance(15_000);
    await mqtt.sendTelemetry({ power: 2 });
    await expect.poll(async () => (await device.now("power"))["power"]?.value).toBe(2);
    site.advance(15_000);
    expect(await online(device)).toBe("ONLINE");
    site.advance(15_000);
    await expect.poll(() => online(device)).toBe("OFFLINE");
  });
}
