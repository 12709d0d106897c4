// A cloud with many joined gateways, which speak the real protocol from a process of their own: memory of the nodes for each
// gateway, how long all of them need to come back at once, processor time and what the nodes notify each other of while nothing
// happens and while all of them report, and commands through one of them, alone and beside the others. The fleet grows in
// `--steps`, and each step is measured, which shows what grows with what. Prints one JSON line; times are in milliseconds.
// Goals: 1,000 gateways on one node, less than 100 kB for each, a command beside 1,000 others within twice the time alone.
//   npm run bench -- fleet [--gateways 1000] [--devices 1] [--seconds 20] [--every 15] [--runs 200]
//     [--database embedded|postgres|citus] [--nodes 1] [--steps 500,1000]
// `--devices` is of each gateway. With several nodes, the gateways are shared out among them.
import { type ChildProcess, fork } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Gateway as Server } from "./commands/gateway.ts";
import { percentile } from "./commands/machine.ts";
import { type CloudNodes, type Database, startCloud } from "./fleet/cloud-nodes.ts";
import { type FleetAnswer, type FleetOrder, runGateways } from "./fleet/gateways-process.ts";

/** What follows from a change of the fleet takes so long. */
const SETTLES_S = 15;

const self = fileURLToPath(import.meta.url);
if (process.argv[2] === "gateways") runGateways();
else await measure();

interface Setting {
  readonly devices: number;
  readonly seconds: number;
  readonly every: number;
  readonly runs: number;
}

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: {
      gateways: { type: "string", default: "1000" },
      devices: { type: "string", default: "1" },
      seconds: { type: "string", default: "20" },
      every: { type: "string", default: "15" },
      runs: { type: "string", default: "200" },
      database: { type: "string", default: "embedded" },
      nodes: { type: "string", default: "1" },
      steps: { type: "string" },
    },
  });
  const setting: Setting = {
    devices: Number(values.devices),
    seconds: Number(values.seconds),
    every: Number(values.every),
    runs: Number(values.runs),
  };
  const steps = (values.steps ?? values.gateways).split(",").map(Number);
  const parent = fileURLToPath(new URL("../.busbar/", import.meta.url));
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "bench-fleet-"));
  chmodSync(folder, 0o755);
  const cloud = await startCloud(folder, values.database as Database, Number(values.nodes));
  const fleet = fork(self, ["gateways"]);
  try {
    const figures = await measureFleet(cloud, fleet, { steps, setting });
    const { database, nodes } = values;
    const machine = { cores: cpus().length, load: round(loadavg()[0] ?? 0) };
    console.log(JSON.stringify({ bench: "fleet", database, nodes: Number(nodes), ...figures, ...machine }));
  } finally {
    fleet.kill();
    await cloud.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Grown {
  readonly steps: readonly number[];
  readonly setting: Setting;
}

async function measureFleet(cloud: CloudNodes, fleet: ChildProcess, { steps, setting }: Grown): Promise<object> {
  const { devices, runs, every } = setting;
  const [node] = cloud.nodes as [Server];
  const first = await joinGateways(fleet, { cloud, count: 1, devices });
  const [deviceId = ""] = first.deviceIds;
  await isReachable(node, deviceId);
  const alone = await commandTimes(node, deviceId, runs);
  say(`one gateway: commands p50 ${round(percentile(alone, 0.5))} ms`);
  await rest(5);
  const before = { heap: await cloud.heapBytes(), resident: (await cloud.figures()).residentMiB, joined: 1 };
  const grown: Step[] = [];
  let joined = 1;
  for (const gateways of steps) {
    const count = gateways - joined;
    const join = await wave(cloud, fleet, async () => {
      await joinGateways(fleet, { cloud, count, devices });
      // One more for each gateway stands for the gateway itself.
      await hasDevices(node, gateways * (devices + 1));
    });
    joined = gateways;
    say(`the cloud has all devices of ${gateways} gateways: ${JSON.stringify(join)}`);
    const step = await measureStep(cloud, fleet, { gateways, before, setting, deviceId, join });
    grown.push(step);
    say(JSON.stringify(step));
  }
  const last = grown.at(-1);
  if (last === undefined) throw new Error("there is no step");
  const { gateways, ...figures } = last;
  const overview = await overviewOf(node);
  return {
    gateways,
    devices: gateways * devices,
    connected: overview.connected,
    overview_ms: overview.ms,
    report_every_s: every,
    values_per_second: Math.round((gateways * (devices * 10 + 14)) / every),
    ...figures,
    command_ms: { alone: summary(alone), ...last.command_ms },
    beside_to_alone: round(last.command_ms.beside_reporting.p50 / percentile(alone, 0.5)),
    ...(grown.length > 1 && { steps: grown }),
  };
}

interface Step {
  readonly gateways: number;
  readonly bytes_per_gateway: number;
  readonly resident_growth_mib: number;
  readonly database_mib: number;
  readonly join: Wave;
  readonly storm: Wave;
  readonly idle: Second;
  readonly reporting: Second;
  readonly command_ms: { readonly beside_idle: Summary; readonly beside_reporting: Summary };
}

/** Until all gateways are connected that join, or come back. */
interface Wave {
  readonly ms: number;
  readonly nodes_seconds: number;
  readonly database_seconds: number;
  readonly transactions: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** Of a second, on average. */
interface Second {
  readonly nodes_cores: number;
  readonly database_cores: number;
  readonly notifications: number;
  readonly notified_bytes: number;
}

interface StepOf {
  readonly gateways: number;
  readonly before: { readonly heap: number; readonly resident: number; readonly joined: number };
  readonly setting: Setting;
  readonly deviceId: string;
  readonly join: Wave;
}

async function measureStep(
  cloud: CloudNodes,
  fleet: ChildProcess,
  { gateways, before, setting, deviceId, join }: StepOf,
): Promise<Step> {
  const { seconds, every, runs } = setting;
  const [node] = cloud.nodes as [Server];
  const idle = await perSecond(cloud, seconds);
  const heap = await cloud.heapBytes();
  const { residentMiB } = await cloud.figures();
  const quiet = await commandTimes(node, deviceId, runs);
  const storm = await wave(cloud, fleet, () => order(fleet, { do: "reconnect" }));
  say(`all are back: ${JSON.stringify(storm)}`);
  await isReachable(node, deviceId);
  await order(fleet, { do: "report", everyMs: every * 1_000 });
  await rest(2);
  const reporting = await perSecond(cloud, seconds);
  await hasFreshValues(node, deviceId, every);
  const beside = await commandTimes(node, deviceId, runs);
  await order(fleet, { do: "report", everyMs: 0 });
  return {
    gateways,
    bytes_per_gateway: Math.round((heap - before.heap) / (gateways - before.joined)),
    resident_growth_mib: residentMiB - before.resident,
    database_mib: await cloud.databaseMiB(),
    join,
    storm,
    idle,
    reporting,
    command_ms: { beside_idle: summary(quiet), beside_reporting: summary(beside) },
  };
}

/** With what follows from it. */
async function wave(cloud: CloudNodes, fleet: ChildProcess, work: () => Promise<unknown>): Promise<Wave> {
  const from = await cloud.figures();
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  await rest(SETTLES_S);
  const to = await cloud.figures();
  const { failures } = await order(fleet, { do: "count failures" });
  return {
    ms: Math.round(ms),
    nodes_seconds: round(to.nodesSeconds - from.nodesSeconds),
    database_seconds: round(to.databaseSeconds - from.databaseSeconds),
    transactions: to.transactions - from.transactions,
    failures,
  };
}

async function perSecond(cloud: CloudNodes, seconds: number): Promise<Second> {
  const [from, begun] = [await cloud.figures(), performance.now()];
  await rest(seconds);
  const [to, lasted] = [await cloud.figures(), (performance.now() - begun) / 1_000];
  return {
    nodes_cores: round((to.nodesSeconds - from.nodesSeconds) / lasted, 3),
    database_cores: round((to.databaseSeconds - from.databaseSeconds) / lasted, 3),
    notifications: round((to.notifications - from.notifications) / lasted),
    notified_bytes: Math.round((to.notifiedBytes - from.notifiedBytes) / lasted),
  };
}

/** Reports arrive while they are sent: figures beside reports that are late would say nothing. */
async function hasFreshValues(node: Server, deviceId: string, every: number): Promise<void> {
  const asked = new URLSearchParams({ [`devices[${deviceId}]`]: "value_0", relevance_interval: `${2 * every + 5}s` });
  const answer = await node.call(`/v3/telemetry/latest?${asked}`);
  if (!answer.includes('"timestamp"')) throw new Error(`what the gateways report does not arrive in time: ${answer}`);
}

async function overviewOf(node: Server): Promise<{ readonly connected: number; readonly ms: number }> {
  const begun = performance.now();
  const { connected } = JSON.parse(await node.call("/v3/gateways/overview")) as { connected: number };
  return { connected, ms: round(performance.now() - begun) };
}

interface Joining {
  readonly cloud: CloudNodes;
  readonly count: number;
  readonly devices: number;
}

/** Each node gets its share of them. */
async function joinGateways(fleet: ChildProcess, { cloud, count, devices }: Joining): Promise<FleetAnswer> {
  const { nodes } = cloud;
  let answer: FleetAnswer | undefined;
  for (const [n, node] of nodes.entries()) {
    const share = Math.floor(count / nodes.length) + (n < count % nodes.length ? 1 : 0);
    if (share === 0) continue;
    answer = await order(fleet, { do: "join", url: node.url, codes: await makeCodes(node, share), devices });
  }
  if (answer === undefined) throw new Error("no gateway was to join");
  return answer;
}

async function order(fleet: ChildProcess, what: FleetOrder): Promise<FleetAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<FleetAnswer>();
  const fail = () => reject(new Error("the process of the gateways has ended"));
  fleet.once("message", resolve).once("exit", fail);
  fleet.send(what);
  return await promise.finally(() => fleet.off("exit", fail));
}

async function hasDevices(node: Server, devices: number): Promise<void> {
  for (;;) {
    const { total_count } = JSON.parse(await node.call("/v3/devices?limit=0")) as { total_count: number };
    if (total_count >= devices) return;
    await rest(1);
  }
}

async function makeCodes(cloud: Server, count: number): Promise<readonly string[]> {
  const codes: string[] = [];
  while (codes.length < count) {
    const some = Array.from({ length: Math.min(50, count - codes.length) }, async () => {
      const { code } = JSON.parse(await cloud.call("/v3/gateways/join_codes", {})) as { code: string };
      return code;
    });
    codes.push(...(await Promise.all(some)));
  }
  return codes;
}

/** Commands one after the other, each from its call to its end. */
async function commandTimes(cloud: Server, deviceId: string, runs: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    const answer = await cloud.call(`/v3/devices/${deviceId}/commands/execute`, { name: "start" });
    times.push(performance.now() - began);
    if (!answer.includes('"SUCCESS"')) throw new Error(`a command did not succeed: ${answer}`);
  }
  return times;
}

/** The cloud knows the device, and the gateway has sent everything. */
async function isReachable(cloud: Server, deviceId: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await cloud.call(`/v3/devices/${deviceId}/commands/execute`, { name: "start" }).catch(() => "");
    if (answer.includes('"SUCCESS"')) return;
    await rest(0.1);
  }
  throw new Error("the first gateway cannot be reached");
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function rest(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}

function round(value: number, places = 2): number {
  return Math.round(value * 10 ** places) / 10 ** places;
}

interface Summary {
  readonly p50: number;
  readonly p99: number;
}

function summary(times: readonly number[]): Summary {
  return { p50: round(percentile(times, 0.5)), p99: round(percentile(times, 0.99)) };
}
