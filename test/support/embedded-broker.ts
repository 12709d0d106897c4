import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import {
  createEmbeddedBroker,
  EMBEDDED_DEFAULTS,
  type EmbeddedBroker,
  type EmbeddedSettings,
} from "#mqtt/embedded/create-embedded-broker.ts";
import type { MqttNeeds } from "#mqtt/mqtt-needs.ts";
import type { FakeDeviceConfig } from "./fake-device.ts";
import { createFakeInbox, type FakeInbox, type FakeLogin } from "./fake-inbox.ts";

export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export interface TestBroker extends EmbeddedBroker {
  readonly inbox: FakeInbox;
  readonly port: number;
  /** What generate_config would answer for the device. */
  configFor(deviceId: string): FakeDeviceConfig;
}

/** Devices d1, d2, ... with hardware ids HW1, HW2, ... and secrets secret1, secret2, ... */
export function logins(count: number): readonly FakeLogin[] {
  return Array.from({ length: count }, (_, index) => ({
    deviceId: `d${index + 1}`,
    hardwareId: `HW${index + 1}`,
    channelId: "main",
    secret: `secret${index + 1}`,
  }));
}

export async function startTestBroker(
  settings: Partial<EmbeddedSettings> & { readonly devices?: number } = {},
  more: Partial<MqttNeeds> = {},
): Promise<TestBroker> {
  const { devices = 3, ...given } = settings;
  const known = logins(devices);
  const inbox = createFakeInbox(known);
  const broker = await createEmbeddedBroker(
    {
      inbox,
      log: SILENT,
      shares: createShares(),
      budgets: createByteBudgets(),
      now: () => instant(Date.now()),
      configurationOf: async () => undefined,
      ...more,
    },
    { ...EMBEDDED_DEFAULTS, host: "127.0.0.1", port: 0, ...given },
  );
  const { port = 0 } = await broker.listen();
  const configFor = (deviceId: string): FakeDeviceConfig => {
    const login = known.find((one) => one.deviceId === deviceId);
    if (login === undefined) throw new Error(`no device ${deviceId}`);
    return {
      mqtt_host: "127.0.0.1",
      mqtt_port: port,
      mqtt_protocol: "MQTT",
      mqtt_credentials: { username: login.hardwareId, password: login.secret },
      hardware_id: login.hardwareId,
      channel_id: login.channelId,
    };
  };
  return { ...broker, inbox, port, configFor };
}
