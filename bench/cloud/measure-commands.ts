// Commands over HTTP to a device that answers at once: one after the other, and many at once. The device is connected to
// the node that takes the call, or to the other one.
import type { MqttClient } from "mqtt";
import type { FakeDeviceConfig } from "../../test/support/fake-device.ts";
import { connectMqtt } from "../commands/device-process.ts";
import type { Busbar } from "../telemetry/busbar.ts";

const CALLS = 300;
const WARM_UP = 100;
const AT_ONCE = 32;
const BURST_MS = 5_000;

const MANIFEST = `blueprint_spec: device/3.0
display_name: Commands
runtime:
  type: embedded
commands:
  set_power:
    display_name: Set power
`;

interface Case {
  readonly name: string;
  readonly called: Busbar;
  readonly connected: Busbar;
}

interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

export async function measureCommands(
  { embedded, one, two }: { readonly embedded: Busbar; readonly one: Busbar; readonly two: Busbar },
  say: (text: string) => void,
): Promise<object> {
  const cases: readonly Case[] = [
    { name: "embedded", called: embedded, connected: embedded },
    { name: "same node", called: one, connected: one },
    { name: "other node", called: one, connected: two },
  ];
  const found: Record<string, Figures> = {};
  for (const one of cases) {
    found[one.name] = await measureCase(one);
    say(`commands, ${one.name}: ${JSON.stringify(found[one.name])}`);
  }
  const more = (found["other node"]?.p50 ?? 0) - (found["same node"]?.p50 ?? 0);
  return { ...found, otherNodeCostsMs: round(more) };
}

async function measureCase({ called, connected }: Case): Promise<Figures> {
  const { blueprint } = await called.post<{ blueprint: { id: string } }>("/v3/blueprints/upload", MANIFEST);
  const body = { name: "Commanded", blueprint_id: blueprint.id };
  const { device_id: id } = await called.post<{ device_id: string }>("/v3/provisioning/standalone", body);
  const { config } = await called.post<{ config: FakeDeviceConfig }>(`/v3/devices/${id}/generate_config`, {
    protocol: "MQTT",
  });
  const client = await connectDevice(config, connected.mqttPort);
  const call = async () => {
    const begun = performance.now();
    const { execution } = await called.post<{ execution: { state: string } }>(`/v3/devices/${id}/commands/execute`, {
      name: "set_power",
      arguments: {},
    });
    if (execution.state !== "SUCCESS") throw new Error(`the command ended as ${execution.state}`);
    return performance.now() - begun;
  };
  try {
    for (let i = 0; i < WARM_UP; i++) await call();
    const times: number[] = [];
    for (let i = 0; i < CALLS; i++) times.push(await call());
    times.sort((a, b) => a - b);
    let done = 0;
    const begun = performance.now();
    const worker = async () => {
      for (; performance.now() - begun < BURST_MS; done++) await call();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const perSecond = Math.round(done / ((performance.now() - begun) / 1_000));
    return { p50: round(times[CALLS / 2] ?? 0), p99: round(times[Math.floor(CALLS * 0.99)] ?? 0), perSecond };
  } finally {
    await client.endAsync(true);
  }
}

async function connectDevice(config: FakeDeviceConfig, port: number): Promise<MqttClient> {
  const client = await connectMqtt(port, config.mqtt_credentials);
  const address = `${config.hardware_id}/${config.channel_id}`;
  client.on("message", (_topic, payload) => {
    const { id } = JSON.parse(payload.toString("utf8")) as { id: string };
    client.publish(`v1/from/${address}/v1/command/responses`, `{"id":"${id}","state":"completed"}`, { qos: 1 });
  });
  await client.subscribeAsync(`v1/to/${address}/v1/command/requests`, { qos: 1 });
  return client;
}

const round = (value: number) => Math.round(value * 100) / 100;
