// A device that sends a point each moment, never gives up its connection, and knows which points were acknowledged.
import { connectAsync } from "mqtt";
import type { FakeDeviceConfig } from "../support/fake-device.ts";

export interface SendingDevice {
  /** The numbers of the points that were acknowledged. Point n has the value n, and is n seconds after the first. */
  readonly acknowledged: ReadonlySet<number>;
  /** Sends nothing from now on. Resolves when everything sent is acknowledged. */
  pause(): Promise<void>;
  goOn(): void;
  /** Sends one point that need not arrive, with a value of its own, and gives the value. */
  probe(): number;
  close(): void;
}

/** The points of one sender, probes included, lie within so many seconds: enough for half an hour. */
export const SPAN_S = 24 * 3_600;
const EVERY_MS = 20;
/** Points that are not acknowledged yet, at most. */
const WINDOW = 50;

export async function startSendingDevice(config: FakeDeviceConfig, firstSecond: number): Promise<SendingDevice> {
  const acknowledged = new Set<number>();
  const { username = "", password = "" } = config.mqtt_credentials;
  const client = await connectAsync(`mqtt://${config.mqtt_host}:${config.mqtt_port}`, {
    ...{ username, password, clientId: "" },
    ...{ reconnectPeriod: 50, connectTimeout: 2_000 },
  });
  client.on("error", () => {});
  const topic = `v1/from/${config.hardware_id}/${config.channel_id}/v1/telemetry`;
  const waiting = new Set<Promise<unknown>>();
  let count = 0;
  let isPaused = false;
  const publish = (second: number, power: number) =>
    client.publishAsync(topic, JSON.stringify({ timestamp: firstSecond + second, power }), { qos: 1 });
  let probes = 0;
  const send = () => {
    if (isPaused || waiting.size >= WINDOW) return;
    const n = count++;
    // It is sent again after each new connection until it is acknowledged.
    const sent = publish(n, n).then(
      () => acknowledged.add(n),
      () => {},
    );
    waiting.add(sent);
    void sent.finally(() => waiting.delete(sent));
  };
  const timer = setInterval(send, EVERY_MS);
  return {
    acknowledged,
    async pause() {
      isPaused = true;
      await Promise.all(waiting);
    },
    goOn() {
      isPaused = false;
    },
    probe() {
      probes += 1;
      publish(SPAN_S - probes, -probes).catch(() => {});
      return -probes;
    },
    close() {
      clearInterval(timer);
      client.end(true);
    },
  };
}
