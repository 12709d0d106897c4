// Commands over HTTP to a device that answers at once: one after the other, and many at once. The device is connected to
// the node that takes the call, or to the other one.
import type { MqttClient } from "mqtt";
import type { FakeDeviceConfig } from "../../test/support/fake-device.ts";
import { connectMqtt } from "../commands/device-process.ts";
import type { Busbar } from "../telemetry/busbar.ts";
import { type Cost, costOf, type Paid } from "./cost-of.ts";

const CALLS = 300;
const WARM_UP = 100;
/** Calls of one device before the next has its turn. */
const TURN = 20;
const AT_ONCE = 32;
const BURST_MS = 5_000;
/** Of one node, where the callers do not all call the same one. */
const DEVICES = 16;

const MANIFEST = `blueprint_spec: device/3.0
display_name: Commands
runtime:
  type: embedded
command_groups:
  main: {display_name: Main}
commands:
  set_power:
    group: main
    display_name: Set power
`;

interface Nodes {
  /** What the two nodes are compared with; named in the figures by its own name. */
  readonly baseline: Busbar;
  readonly one: Busbar;
  readonly two: Busbar;
  /** The address of the nodes' database on each of its servers. */
  readonly databases: readonly string[];
  /** The same of the baseline, where it has one. */
  readonly baselineDatabases?: readonly string[];
}

interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export async function measureCommands(
  { baseline, one, two, databases, baselineDatabases }: Nodes,
  say: (text: string) => void,
): Promise<object> {
  const calls = {
    baseline: await openDevice(baseline, baseline),
    sameNode: await openDevice(one, one),
    otherNode: await openDevice(one, two),
    secondNode: await openDevice(two, two),
  };
  const others: Commanded[] = [];
  const many = async (node: Busbar): Promise<readonly Commanded[]> => {
    const opened: Commanded[] = [];
    for (let n = 0; n < DEVICES; n++) opened.push(await openDevice(node, node));
    others.push(...opened);
    for (const { call } of opened) await call();
    return opened;
  };
  try {
    for (const { call } of Object.values(calls)) for (let i = 0; i < WARM_UP; i++) await call();
    const { baseline: first, ...nodes } = await latenciesOf([calls.baseline, calls.sameNode, calls.otherNode]);
    const latency = { [baseline.name]: first, ...nodes };
    say(`execute, one after the other, ms: ${JSON.stringify(latency)}`);
    const paid: Paid = { nodes: [one, two], databases };
    const cost: Record<string, Cost> = {
      ...(baselineDatabases !== undefined && {
        [baseline.name]: await costOf({ nodes: [baseline], databases: baselineDatabases }, () =>
          callAll(calls.baseline),
        ),
      }),
      sameNode: await costOf(paid, () => callAll(calls.sameNode)),
      otherNode: await costOf(paid, () => callAll(calls.otherNode)),
    };
    say(`what one of them costs: ${JSON.stringify(cost)}`);
    const perSecond = {
      [baseline.name]: await rateOf([calls.baseline]),
      oneNode: await rateOf([calls.sameNode]),
      otherNode: await rateOf([calls.otherNode]),
      twoNodes: await rateOf([calls.sameNode, calls.secondNode]),
    };
    say(`executions a second of one device, ${AT_ONCE} at once: ${JSON.stringify(perSecond)}`);
    const manyDevices = {
      [baseline.name]: await rateOf(await many(baseline)),
      oneNode: await rateOf(await many(one)),
      twoNodes: await rateOf([...(await many(one)), ...(await many(two))]),
    };
    say(`the same of ${DEVICES} devices: ${JSON.stringify(manyDevices)}`);
    const otherNodeCostsMs = round(nodes.otherNode.p50 - nodes.sameNode.p50);
    return { latency, otherNodeCostsMs, cost, perSecond, manyDevices };
  } finally {
    for (const { close } of [...Object.values(calls), ...others]) await close();
  }
}

export interface Commanded {
  readonly id: string;
  /** The time of one call, in milliseconds. */
  call(): Promise<number>;
  close(): Promise<void>;
}

/** By turns, so that a noisy moment of the machine hits all. */
async function latenciesOf([baseline, sameNode, otherNode]: readonly [Commanded, Commanded, Commanded]) {
  const times = new Map<Commanded, number[]>([baseline, sameNode, otherNode].map((one) => [one, []]));
  for (let done = 0; done < CALLS; done += TURN) {
    for (const [{ call }, own] of times) for (let i = 0; i < TURN; i++) own.push(await call());
  }
  const of = (one: Commanded): Latency => {
    const own = (times.get(one) ?? []).sort((a, b) => a - b);
    return { p50: round(own[CALLS / 2] ?? 0), p99: round(own[Math.floor(CALLS * 0.99)] ?? 0) };
  };
  return { baseline: of(baseline), sameNode: of(sameNode), otherNode: of(otherNode) };
}

async function callAll({ call }: Commanded): Promise<number> {
  for (let i = 0; i < CALLS; i++) await call();
  return CALLS;
}

/** Callers are shared out among these. */
async function rateOf(all: readonly Commanded[]): Promise<number> {
  let done = 0;
  const begun = performance.now();
  const worker = async (_: unknown, n: number) => {
    const { call } = all[n % all.length] ?? { call: () => Promise.reject(new Error("there is nobody to call")) };
    for (; performance.now() - begun < BURST_MS; done++) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }).map(worker));
  return Math.round(done / ((performance.now() - begun) / 1_000));
}

/** A device that is connected to one node and commanded through another, or the same. */
export async function openDevice(called: Busbar, connected: Busbar): Promise<Commanded> {
  const { blueprint } = await called.post<{ blueprint: { id: string } }>("/v3/blueprints/upload", MANIFEST);
  const body = { name: "Commanded", blueprint_id: blueprint.id };
  const { device_id: id } = await called.post<{ device_id: string }>("/v3/provisioning/standalone", body);
  const { config } = await called.post<{ config: FakeDeviceConfig }>(`/v3/devices/${id}/generate_config`, {
    protocol: "MQTT",
  });
  const client = await connectDevice(config, connected.mqttPort);
  return {
    id,
    async call() {
      const begun = performance.now();
      const { execution } = await called.post<{ execution: { state: string } }>(`/v3/devices/${id}/commands/execute`, {
        name: "set_power",
        arguments: {},
      });
      if (execution.state !== "SUCCESS")
        throw new Error(`a command of ${called.name} to a device at ${connected.name} ended as ${execution.state}`);
      return performance.now() - begun;
    },
    close: () => client.endAsync(true),
  };
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
