// A gateway and its cloud, each `./bin/busbar serve` with the embedded store, over a line that counts bytes. Prints what
// each stage found on stderr, and one JSON line; times are in milliseconds.
//   latency  `execute` in the cloud and at the gateway for the same device, next to a bare round trip, a bare flush of the
//            disk and a small commit of the store. Goal: a command of the cloud takes as long as one of the gateway, a round
//            trip and two flushes. Since a flush comes with a commit, it is also compared with two commits.
//   live     bytes on the line per point, to and fro, of 10 and of 200 devices that send 20 values a second each, at their
//            own moments. Goal: 1.5 for 200.
//   history  bytes on the line per point, to and fro, of 200,000 points that were made while the line was cut. Goal: 1.5.
//   resync   10,000 executions and 1,000,000 points that were made while the line was cut. Goal: the cloud has them within
//            10 s of the connection.
//   memory   of the cloud per idle gateway, with gateways that speak the real protocol. Goal: 100 kB.
//   npm run bench -- link [latency] [live] [history] [resync] [memory]        without a word all of them, about four minutes
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MqttClient } from "mqtt";
import type { Writer } from "#store/records/writer.ts";
import { openWriter } from "#store/sqlite/writer.ts";
import { makeEntry, makeSite } from "../test/support/records.ts";
import { connectMqtt } from "./commands/device-process.ts";
import { type BenchDevice, type Gateway, makeDevices, startGateway } from "./commands/gateway.ts";
import { cpuSeconds, flushTimes, percentile } from "./commands/machine.ts";
import { type CountingLine, openCountingLine } from "./link/counting-line.ts";
import { connectGateways } from "./link/idle-gateways.ts";
import { ATTRIBUTES, randomFrom } from "./telemetry/data.ts";
import { finish, residentBytes } from "./telemetry/process.ts";

const CALLS = 300;
/** A cloud and a gateway run for months. Code that has run a few hundred times only takes twice the time. */
const WARM_UP = 1_000;
const EXECUTIONS = 10_000;
const POINTS = 1_000_000;
const HISTORY_POINTS = 200_000;
const AT_ONCE = 64;
const DEVICES = 10;
const MANY_DEVICES = 200;
const LIVE_SECONDS = 20;
const IDLE = 1_000;
const PUBLISH_SECONDS = 4;

const words = process.argv.slice(2);
const wants = (part: string) => words.length === 0 || words.includes(part);
const begun = performance.now();
const say = (text: string) => process.stderr.write(`[${Math.round((performance.now() - begun) / 1_000)} s] ${text}\n`);
const round = (value: number, places = 2) => Math.round(value * 10 ** places) / 10 ** places;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const load = () => loadavg().map((one) => round(one, 1));

/** In the checkout, because a temporary folder may lie in memory, where a flush costs nothing. */
const parent = fileURLToPath(new URL("../.busbar/", import.meta.url));
const publisher = fileURLToPath(new URL("./telemetry/publish.ts", import.meta.url));

interface Stage {
  readonly cloud: Gateway;
  readonly gateway: Gateway;
  readonly line: CountingLine;
  readonly devices: readonly BenchDevice[];
  readonly folder: string;
}

mkdirSync(parent, { recursive: true });
const folder = mkdtempSync(join(parent, "bench-link-"));
const stops: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
try {
  const found: Record<string, object> = {};
  const measures = { latency: measureLatency, live: measureLive, history: measureHistory, resync: measureResync };
  if (Object.keys(measures).some(wants)) {
    const stage = await openStage();
    for (const [part, measure] of Object.entries(measures)) {
      if (!wants(part)) continue;
      const figures = { ...(await measure(stage)), load: load() };
      found[part] = figures;
      say(`${part}: ${JSON.stringify(figures)}`);
    }
    await stage.gateway.stop();
    await stage.cloud.stop();
  }
  if (wants("memory")) {
    const figures = { ...(await measureMemory()), load: load() };
    found["memory"] = figures;
    say(`memory: ${JSON.stringify(figures)}`);
  }
  console.log(JSON.stringify({ bench: "link", cores: availableParallelism(), ...found }));
} finally {
  for (const stop of stops.reverse()) await stop();
}
process.exit(0);

async function openStage(): Promise<Stage> {
  const cloud = await startGateway(join(folder, "cloud"), ["--role", "cloud", "--mqtt-port", "off"]);
  stops.push(() => cloud.stop());
  const gateway = await startGateway(join(folder, "gateway"), ["--link-allow-local"]);
  stops.push(() => gateway.stop());
  const line = await openCountingLine(cloud.url);
  stops.push(() => line.close());
  const devices = await makeDevices(gateway, manifest(), wants("live") ? MANY_DEVICES : DEVICES);
  const { code } = JSON.parse(await cloud.call("/v3/gateways/join_codes", { name: "North" })) as { code: string };
  await gateway.call("/v3/uplink", { url: line.url, code });
  await isUploaded(gateway);
  return { cloud, gateway, line, devices, folder };
}

function manifest(): string {
  const telemetry = ATTRIBUTES.map(({ name, type, words: values }) => {
    const known = values === undefined || name === "note" ? "" : `\n    enum: [${values.join(", ")}]`;
    return `  ${name}:\n    type: ${type}\n    display_name: ${name}${known}\n`;
  });
  return `blueprint_spec: device/3.0
display_name: Linked
runtime:
  type: embedded
command_groups:
  main: {display_name: Main}
commands:
  set_power: {group: main, display_name: Set power}
telemetry:
${telemetry.join("")}`;
}

interface Status {
  readonly connected: boolean;
  readonly backlog: number;
  readonly telemetry: { readonly messages: number; readonly hours: number; readonly history_before: string | null };
}

async function statusOf(gateway: Gateway): Promise<Status> {
  return JSON.parse(await gateway.call("/v3/uplink")) as Status;
}

/** Resolves when the gateway is connected and has nothing left to upload. */
async function isUploaded(gateway: Gateway): Promise<void> {
  for (;;) {
    const { connected, backlog, telemetry } = await statusOf(gateway);
    const isLeft = backlog > 0 || telemetry.messages > 0 || telemetry.hours > 0 || telemetry.history_before !== null;
    if (connected && !isLeft) return;
    await sleep(20);
  }
}

async function answering({ config }: BenchDevice): Promise<MqttClient> {
  const client = await connectMqtt(config.mqtt_port, config.mqtt_credentials);
  const address = `${config.hardware_id}/${config.channel_id}`;
  client.on("message", (_topic, payload) => {
    const { id } = JSON.parse(payload.toString("utf8")) as { id: string };
    client.publish(`v1/from/${address}/v1/command/responses`, `{"id":"${id}","state":"completed"}`, { qos: 1 });
  });
  await client.subscribeAsync(`v1/to/${address}/v1/command/requests`, { qos: 1 });
  return client;
}

async function execute(server: Gateway, deviceId: string): Promise<number> {
  const began = performance.now();
  const answer = await server.call(`/v3/devices/${deviceId}/commands/execute`, { name: "set_power", arguments: {} });
  const { execution } = JSON.parse(answer) as { execution: { state: string } };
  if (execution.state !== "SUCCESS") throw new Error(`the command ended as ${execution.state}`);
  return performance.now() - began;
}

async function measureLatency({ cloud, gateway, devices, folder: place }: Stage): Promise<object> {
  const [device] = devices;
  if (device === undefined) throw new Error("there is a device");
  const client = await answering(device);
  const echo = await openEcho();
  const store = await openWriter(join(place, "commits"), fail);
  const times = { cloud: [] as number[], gateway: [] as number[], roundTrip: [] as number[], commit: [] as number[] };
  for (let i = 0; i < WARM_UP; i++) {
    await execute(cloud, device.id);
    await execute(gateway, device.id);
    await commit(store);
  }
  // In turns, so that all of them meet the same load, and each alone: not beside the copy of the one before.
  for (let i = 0; i < CALLS; i++) {
    await isUploaded(gateway);
    times.cloud.push(await execute(cloud, device.id));
    await isUploaded(gateway);
    times.gateway.push(await execute(gateway, device.id));
    await isUploaded(gateway);
    times.roundTrip.push(await echo.ask());
    times.commit.push(await commit(store));
  }
  const processor = () => [cpuSeconds(cloud.pid), cpuSeconds(gateway.pid)] as const;
  const idle = processor();
  for (let i = 0; i < CALLS; i++) await execute(cloud, device.id);
  await isUploaded(gateway);
  const used = processor().map((seconds, side) => round(((seconds - (idle[side] ?? 0)) * 1_000) / CALLS));
  echo.close();
  await store.close();
  await client.endAsync(true);
  const flush = percentile(flushTimes(place, 200), 0.5);
  const p50 = (list: readonly number[]) => round(percentile(list, 0.5));
  const alone = p50(times.gateway) + p50(times.roundTrip);
  return {
    cloud: { p50: p50(times.cloud), p99: round(percentile(times.cloud, 0.99)) },
    gateway: { p50: p50(times.gateway), p99: round(percentile(times.gateway, 0.99)) },
    roundTrip: p50(times.roundTrip),
    flush: round(flush, 3),
    commit: p50(times.commit),
    goal: round(alone + 2 * flush),
    overGoal: round(p50(times.cloud) / (alone + 2 * flush)),
    overTwoCommits: round(p50(times.cloud) / (alone + 2 * p50(times.commit))),
    processorMs: { cloud: used[0], gateway: used[1] },
  };
}

/** A site and the entry of the audit: the store's smallest write with a change number, on its writing thread. */
async function commit(store: Writer): Promise<number> {
  const began = performance.now();
  await store.run("insertSite", { site: makeSite(), trail: makeEntry() });
  return performance.now() - began;
}

function fail(error: Error): never {
  throw error;
}

/** Over a line like that of the link. */
async function openEcho(): Promise<{ ask(): Promise<number>; close(): void }> {
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const line = await openCountingLine(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const socket = connectTcp(Number(new URL(line.url).port), "127.0.0.1");
  socket.setNoDelay(true);
  await once(socket, "connect");
  return {
    async ask() {
      const began = performance.now();
      socket.write("x".repeat(200));
      await once(socket, "data");
      return performance.now() - began;
    },
    close() {
      socket.destroy();
      line.close();
      server.close();
    },
  };
}

async function measureLive({ gateway, line, devices }: Stage): Promise<object> {
  await isUploaded(gateway);
  const before = { ...line.bytes };
  await sleep(3_000);
  const idle = (line.bytes.up + line.bytes.down - before.up - before.down) / 3;
  const few = await liveBytes({ gateway, line, devices: devices.slice(0, DEVICES) });
  const many = await liveBytes({ gateway, line, devices });
  return { idleBytesPerSecond: round(idle), few, many, goal: 1.5 };
}

/** Each device sends its values at its own moment of each second. */
async function liveBytes({ gateway, line, devices }: Pick<Stage, "gateway" | "line" | "devices">): Promise<object> {
  const clients = await Promise.all(
    devices.map(({ config }) => connectMqtt(config.mqtt_port, config.mqtt_credentials)),
  );
  await isUploaded(gateway);
  const start = { ...line.bytes };
  let points = 0;
  const send = async (client: MqttClient, index: number) => {
    const { config } = devices[index] as BenchDevice;
    const topic = `v1/from/${config.hardware_id}/${config.channel_id}/v1/telemetry`;
    const bodies = bodiesOf(index);
    const from = performance.now() + (index * 1_000) / devices.length;
    for (const [second, body] of bodies.entries()) {
      await sleep(Math.max(1, from + second * 1_000 - performance.now()));
      points += Object.keys(body).length;
      await client.publishAsync(topic, JSON.stringify({ timestamp: Date.now() / 1_000, ...body }), { qos: 1 });
    }
  };
  await Promise.all(clients.map(send));
  await isUploaded(gateway);
  const [up, down] = [line.bytes.up - start.up, line.bytes.down - start.down];
  await Promise.all(clients.map((client) => client.endAsync(true)));
  return { devices: devices.length, points, up: round(up / points), bytesPerPoint: round((up + down) / points) };
}

/** What a device sends, a message a second. */
function bodiesOf(index: number): readonly Readonly<Record<string, unknown>>[] {
  const random = randomFrom(index + 1);
  const columns = ATTRIBUTES.map((spec) => ({ spec, values: spec.make(random, LIVE_SECONDS) }));
  return Array.from({ length: LIVE_SECONDS }, (_, second) => {
    const given = columns.filter(({ spec: { share = 1 } }) => random() < share);
    const shown = given.map(({ spec: { name, type, words: texts }, values }) => {
      const value = values[second] ?? 0;
      return [name, texts?.[value] ?? (type === "boolean" ? value === 1 : value)] as const;
    });
    return Object.fromEntries(shown);
  });
}

async function measureHistory({ gateway, line, devices }: Stage): Promise<object> {
  line.cut();
  const points = await publishPoints(devices.slice(0, DEVICES), HISTORY_POINTS);
  const before = { ...line.bytes };
  line.heal();
  await isUploaded(gateway);
  const [up, down] = [line.bytes.up - before.up, line.bytes.down - before.down];
  return { points, up: round(up / points), bytesPerPoint: round((up + down) / points), goal: 1.5 };
}

async function measureResync({ cloud, gateway, line, devices }: Stage): Promise<object> {
  line.cut();
  const points = await publishPoints(devices.slice(0, DEVICES), POINTS);
  say(`${points} points while the line is cut`);
  const client = await answering(devices[0] as BenchDevice);
  let left = EXECUTIONS;
  const caller = async () => {
    while (left-- > 0) await execute(gateway, devices[0]?.id ?? "");
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  await client.endAsync(true);
  say(`${EXECUTIONS} executions while the line is cut`);
  const before = { ...line.bytes };
  line.heal();
  const healed = performance.now();
  while (!(await statusOf(gateway)).connected) await sleep(10);
  const connected = performance.now();
  const processor = () => ({ gateway: cpuSeconds(gateway.pid), cloud: cpuSeconds(cloud.pid) });
  const idle = processor();
  while ((await statusOf(gateway)).backlog > 0) await sleep(20);
  const recordsSent = performance.now();
  await isUploaded(gateway);
  const uploaded = performance.now();
  const busy = processor();
  const path = `/v3/devices/${devices[0]?.id}/commands/executions?limit=1`;
  const total = async (server: Gateway) => (JSON.parse(await server.call(path)) as { total_count: number }).total_count;
  const [own, copies] = [await total(gateway), await total(cloud)];
  if (own !== copies) throw new Error(`the gateway has ${own} executions, the cloud ${copies}`);
  const up = line.bytes.up - before.up;
  return {
    executions: EXECUTIONS,
    points,
    reconnectedAfterMs: Math.round(connected - healed),
    seconds: round((uploaded - connected) / 1_000),
    goalSeconds: 10,
    secondsOfRecords: round((recordsSent - connected) / 1_000),
    processorSeconds: { gateway: round(busy.gateway - idle.gateway), cloud: round(busy.cloud - idle.cloud) },
    bytes: up,
  };
}

async function publishPoints(devices: readonly BenchDevice[], atLeast: number): Promise<number> {
  const credentials = devices.map(({ config }) => ({ ...config.mqtt_credentials, channel: config.channel_id }));
  const port = devices[0]?.config.mqtt_port;
  let points = 0;
  while (points < atLeast) {
    const job = {
      port,
      credentials,
      seconds: Math.min(PUBLISH_SECONDS, atLeast / HISTORY_POINTS),
      late: 0,
      window: 50,
    };
    const output = await finish(process.execPath, [
      "--disable-warning=ExperimentalWarning",
      publisher,
      JSON.stringify(job),
    ]);
    points += (JSON.parse(output) as { messages: number }).messages * ATTRIBUTES.length;
  }
  return points;
}

async function measureMemory(): Promise<object> {
  const cloud = await startGateway(join(folder, "crowd"), ["--role", "cloud", "--mqtt-port", "off"]);
  stops.push(() => cloud.stop());
  // What the first ones load is there for all.
  const first = await connectGateways(cloud, 0, IDLE / 10);
  await sleep(5_000);
  const before = residentBytes(cloud.pid);
  const others = await connectGateways(cloud, IDLE / 10, IDLE);
  await sleep(10_000);
  const after = residentBytes(cloud.pid);
  first.close();
  others.close();
  return { gateways: IDLE, kilobytesEach: round((after - before) / IDLE / 1_000, 1), goal: 100 };
}
