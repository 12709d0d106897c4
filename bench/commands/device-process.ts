// All devices in one separate process: they answer every command at once, and send telemetry on request.

import { Socket } from "node:net";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import type { FakeDeviceConfig } from "../../test/support/fake-device.ts";

export type DeviceOrder =
  | { readonly do: "connect"; readonly configs: readonly FakeDeviceConfig[] }
  /** Answers on a bare broker whatever is asked there. */
  | { readonly do: "echo"; readonly port: number }
  /**
   * The first `active` devices send a value a second or each `everyMs`, each at its own moment of it. One that was told a power
   * measures it if `isObeying` is set.
   */
  | {
      readonly do: "telemetry";
      readonly active: number;
      readonly seconds: number;
      readonly everyMs?: number;
      readonly isObeying?: boolean;
    };

export interface DeviceReport {
  readonly sent: number;
  readonly acknowledged: number;
  readonly commands: number;
}

interface Given {
  readonly power?: number;
}

const AT_ONCE = 50;
/** A client that sends what it has at once: else the kernel holds small packets back, up to 40 ms each. */
export async function connectMqtt(port: number, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: "", reconnectPeriod: 0, ...options });
  if (client.stream instanceof Socket) client.stream.setNoDelay(true);
  return client;
}

export const ECHO = { request: "bench/request", response: "bench/response" };

export function runDevices(): void {
  const devices: { readonly client: MqttClient; readonly from: string; power: number | undefined }[] = [];
  let commands = 0;

  async function connectDevice(config: FakeDeviceConfig): Promise<void> {
    const client = await connectMqtt(config.mqtt_port, config.mqtt_credentials);
    const address = `${config.hardware_id}/${config.channel_id}`;
    const responses = `v1/from/${address}/v1/command/responses`;
    const device = { client, from: `v1/from/${address}`, power: undefined as number | undefined };
    client.on("message", (_topic, payload) => {
      commands += 1;
      const { id, arguments: given } = JSON.parse(payload.toString("utf8")) as { id: string; arguments?: Given };
      device.power = given?.power ?? device.power;
      client.publish(responses, `{"id":"${id}","state":"completed","payload":{"power":1}}`, { qos: 1 });
    });
    client.on("close", () => console.error("a device lost its connection"));
    await client.subscribeAsync(`v1/to/${address}/v1/command/requests`, { qos: 1 });
    devices.push(device);
  }

  async function sendTelemetry(order: Extract<DeviceOrder, { readonly do: "telemetry" }>): Promise<DeviceReport> {
    const { active, seconds, everyMs = 1_000, isObeying = false } = order;
    let sent = 0;
    let acknowledged = 0;
    const one = async (device: (typeof devices)[number], index: number): Promise<void> => {
      const { client, from } = device;
      const begin = performance.now() + (index * everyMs) / active;
      const waits: Promise<void>[] = [];
      for (let turn = 0; turn * everyMs < seconds * 1000; turn++) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(1, begin + turn * everyMs - performance.now())));
        sent += 1;
        const values = {
          timestamp: Date.now() / 1000,
          power: isObeying ? (device.power ?? 0) : turn,
          energy: index + turn,
        };
        const wait = client.publishAsync(`${from}/v1/telemetry`, JSON.stringify(values), { qos: 1 });
        waits.push(wait.then(() => void acknowledged++));
      }
      await Promise.all(waits);
    };
    await Promise.all(devices.slice(0, active).map(one));
    return { sent, acknowledged, commands };
  }

  async function obey(order: DeviceOrder): Promise<DeviceReport> {
    if (order.do === "telemetry") return await sendTelemetry(order);
    if (order.do === "echo") {
      const client = await connectMqtt(order.port);
      client.on("message", (_topic, payload) => void client.publish(ECHO.response, payload, { qos: 1 }));
      await client.subscribeAsync(ECHO.request, { qos: 1 });
    } else {
      for (let at = 0; at < order.configs.length; at += AT_ONCE) {
        await Promise.all(order.configs.slice(at, at + AT_ONCE).map(connectDevice));
      }
    }
    return { sent: 0, acknowledged: 0, commands };
  }

  process.on("message", (order: DeviceOrder) => {
    obey(order).then(
      (report) => process.send?.(report),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.on("disconnect", () => process.exit(0));
}
