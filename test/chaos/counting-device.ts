// A device that runs every command it gets, counts what it starts, and never gives up its connection.
import { connectAsync, type MqttClient } from "mqtt";
import type { FakeDeviceConfig } from "../support/fake-device.ts";

export interface CountingDevice {
  /** How often each execution was started. */
  readonly starts: ReadonlyMap<string, number>;
  /** Executions whose success the service has acknowledged. */
  readonly acknowledged: ReadonlySet<string>;
  /** Sends something else, such as `v1/telemetry`. Resolves when the service has acknowledged it. */
  send(what: string, body: object): Promise<unknown>;
  close(): void;
}

/** Reconnects by itself to the same port, and sends what was not acknowledged again. */
export async function startCountingDevice(
  config: FakeDeviceConfig,
  { isPresent = false } = {},
): Promise<CountingDevice> {
  const starts = new Map<string, number>();
  const acknowledged = new Set<string>();
  const { username = "", password = "" } = config.mqtt_credentials;
  const client: MqttClient = await connectAsync(`mqtt://${config.mqtt_host}:${config.mqtt_port}`, {
    username,
    password,
    clientId: "",
    reconnectPeriod: 50,
    connectTimeout: 2_000,
  });
  client.on("error", () => {});
  const from = `v1/from/${config.hardware_id}/${config.channel_id}`;
  const to = `v1/to/${config.hardware_id}/${config.channel_id}`;
  const say = (id: string, state: string, payload: object) =>
    client.publishAsync(`${from}/v1/command/responses`, JSON.stringify({ id, state, payload }), { qos: 1 });
  client.on("message", (_topic, bytes) => {
    const { id } = JSON.parse(bytes.toString()) as { readonly id: string };
    starts.set(id, (starts.get(id) ?? 0) + 1);
    say(id, "log", { percent: 50 }).catch(() => {});
    say(id, "completed", { id }).then(
      () => acknowledged.add(id),
      () => {},
    );
  });
  await client.subscribeAsync(`${to}/v1/command/requests`, { qos: 1 });
  // An outside broker does not report who is connected: a device is there while it is heard.
  const presence = isPresent
    ? setInterval(() => client.publish(`${from}/v1/telemetry`, "{}", { qos: 0 }), 100)
    : undefined;
  return {
    starts,
    acknowledged,
    send: (what, body) => client.publishAsync(`${from}/${what}`, JSON.stringify(body), { qos: 1 }),
    close() {
      clearInterval(presence);
      client.end(true);
    },
  };
}
