import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import {
  createExternalBroker,
  EXTERNAL_DEFAULTS,
  type ExternalBroker,
  type ExternalSettings,
} from "#mqtt/external/create-external-broker.ts";
import type { DeviceConfiguration } from "#service/ports/carrier.ts";
import { logins, SILENT } from "./embedded-broker.ts";
import type { FakeDeviceConfig } from "./fake-device.ts";
import { createFakeInbox, type FakeInbox } from "./fake-inbox.ts";
import { type Mosquitto, startMosquitto } from "./mosquitto.ts";

export interface TestExternalBroker extends ExternalBroker {
  readonly inbox: FakeInbox;
  readonly mosquitto: Mosquitto;
  readonly configurations: Map<string, DeviceConfiguration>;
  configFor(deviceId: string): FakeDeviceConfig;
  /** The service goes while Mosquitto stays. */
  closeService(): Promise<void>;
  /** Comes back under the same name. The channel is still that of the first. */
  reopenService(): Promise<void>;
  /** Resolves when the service has connected to Mosquitto once more since the last call. */
  connected(): Promise<void>;
}

/** Each test has a session of its own at a broker that they share. */
let services = 0;

/** Mosquitto and the service's end of it, with the devices d1, d2, d3. */
export async function startTestExternalBroker(
  settings: Partial<ExternalSettings> = {},
  shared?: Mosquitto,
): Promise<TestExternalBroker> {
  const known = logins(3);
  const mosquitto = shared ?? (await startMosquitto(known));
  services += 1;
  const clientId = `busbar-test-${services}`;
  const inbox = createFakeInbox(known);
  const configurations = new Map<string, DeviceConfiguration>();
  let connected = Promise.withResolvers<void>();
  const open = (): ExternalBroker =>
    createExternalBroker(
      {
        inbox,
        log: { ...SILENT, info: () => connected.resolve() },
        shares: createShares(),
        budgets: createByteBudgets(),
        now: () => instant(performance.now()),
        configurationOf: async (deviceId) => configurations.get(deviceId),
        // The broker lets d3 in as well, of which the service knows nothing.
        identify: async (hardwareId) => known.slice(0, 2).find((login) => login.hardwareId === hardwareId),
      },
      // Tests wait for it. With 500 ms, devices that did not get the processor for a moment counted as gone.
      { ...EXTERNAL_DEFAULTS, url: mosquitto.url, clientId, aliveForMs: 2_500, ...settings },
    );
  let broker = open();
  const rig: TestExternalBroker = {
    ...broker,
    inbox,
    async closeService() {
      await broker.stop();
    },
    async reopenService() {
      broker = open();
      broker.start();
      await rig.connected();
    },
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
      if (shared === undefined) await mosquitto.stop();
    },
  };
  broker.start();
  await rig.connected();
  return rig;
}
