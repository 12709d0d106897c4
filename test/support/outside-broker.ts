import { instant } from "#core/time/instant.ts";
import {
  createOutsideBroker,
  OUTSIDE_DEFAULTS,
  type OutsideBroker,
  type OutsideSettings,
} from "#mqtt/outside/create-outside-broker.ts";
import type { DeviceConfiguration } from "#service/ports.ts";
import { logins, SILENT } from "./embedded-broker.ts";
import type { FakeDeviceConfig } from "./fake-device.ts";
import { createFakeInbox, type FakeInbox } from "./fake-inbox.ts";
import { type Mosquitto, startMosquitto } from "./mosquitto.ts";

export interface TestOutsideBroker extends OutsideBroker {
  readonly inbox: FakeInbox;
  readonly mosquitto: Mosquitto;
  readonly configurations: Map<string, DeviceConfiguration>;
  configFor(deviceId: string): FakeDeviceConfig;
  /** Resolves when the service has connected to Mosquitto once more since the last call. */
  connected(): Promise<void>;
}

/** Mosquitto and the service's end of it, with the devices d1, d2, d3. */
export async function startTestOutsideBroker(settings: Partial<OutsideSettings> = {}): Promise<TestOutsideBroker> {
  const known = logins(3);
  const mosquitto = await startMosquitto(known);
  const inbox = createFakeInbox(known);
  const configurations = new Map<string, DeviceConfiguration>();
  let connected = Promise.withResolvers<void>();
  const broker = createOutsideBroker(
    {
      inbox,
      log: { ...SILENT, info: () => connected.resolve() },
      now: () => instant(performance.now()),
      configurationOf: async (deviceId) => configurations.get(deviceId),
      identify: async (hardwareId) => known.find((login) => login.hardwareId === hardwareId),
    },
    { ...OUTSIDE_DEFAULTS, url: mosquitto.url, clientId: "busbar-test", aliveForMs: 500, ...settings },
  );
  const rig: TestOutsideBroker = {
    ...broker,
    inbox,
    mosquitto,
    configurations,
    async connected() {
      await connected.promise;
      connected = Promise.withResolvers<void>();
    },
    configFor(deviceId) {
      const login = known.find((one) => one.deviceId === deviceId);
      if (login === undefined) throw new Error(`no device ${deviceId}`);
      return {
        mqtt_host: "127.0.0.1",
        mqtt_port: mosquitto.port,
        mqtt_credentials: { username: login.hardwareId, password: login.secret },
        hardware_id: login.hardwareId,
        channel_id: "main",
      };
    },
    async stop() {
      await broker.stop();
      await mosquitto.stop();
    },
  };
  broker.start();
  await rig.connected();
  return rig;
}
