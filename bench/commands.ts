// Commands from HTTP to a device and back, every one durable: how many a second, how fast at 100 a second next to a bare MQTT
// round trip in the same moments, and what a thousand connected devices cost. Gateway, devices and the bare broker are
// processes of their own on the machine's cores, all of which count. Prints one JSON line; times are in milliseconds.
// Goals: 2,000 executions a second, p50 within five bare round trips and one flush, p99 under 50 ms, no acknowledged
// message lost. Usage: node bench/commands.ts [throughput] [latency] [crowd], without a word all three. BENCH_SECONDS is the
// length of each, BENCH_PROFILE a folder for the gateway's processor profiles.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openRoundTrip, runBareBroker } from "./commands/bare-broker.ts";
import { order } from "./commands/device-orders.ts";
import { type DeviceReport, runDevices } from "./commands/device-process.ts";
import { type BenchDevice, type Gateway, makeDevices, startGateway } from "./commands/gateway.ts";
import { type HttpConnection, openHttp, postBytes } from "./commands/http-load.ts";
import { cpuSeconds, flushTimes, memoryMiB, percentile } from "./commands/machine.ts";

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 10);
const WARM_UP_S = 3;
const CONCURRENCIES = [64, 128, 256];
const BUSY_DEVICES = 20;
const IDLE = 1_000;
const ACTIVE = 100;
const RATE = 100;
const MANIFEST = readFileSync(new URL("../examples/devices/manifest.yml", import.meta.url), "utf8");

/** In the checkout, because a temporary folder may lie in memory, where a flush costs nothing. */
const parent = fileURLToPath(new URL("../.busbar/", import.meta.url));
const self = fileURLToPath(import.meta.url);

const words = process.argv.slice(2);
if (words[0] === "devices") runDevices();
else if (words[0] === "broker") await runBareBroker();
else await compare((part) => words.length === 0 || words.includes(part));

interface Stage {
  readonly gateway: Gateway;
  readonly devices: ChildProcess;
  readonly folder: string;
  /** The request of each busy device, as bytes. */
  readonly requests: readonly Buffer[];
}

async function compare(wants: (part: "throughput" | "latency" | "crowd") => boolean): Promise<void> {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "bench-"));
  const children: ChildProcess[] = [];
  const gateway = await startGateway(join(folder, "data"));
  try {
    const devices = fork(self, ["devices"]);
    const broker = fork(self, ["broker"]);
    children.push(devices, broker);
    const [brokerPort] = (await once(broker, "message")) as [number];
    const made = await makeDevices(gateway, MANIFEST, wants("crowd") ? ACTIVE + IDLE : BUSY_DEVICES);
    const busy = made.slice(0, BUSY_DEVICES);
    const requests = busy.map(({ id }) =>
      postBytes(`/v3/devices/${id}/commands/execute`, gateway.headers, '{"name":"set_power","arguments":{"power":1}}'),
    );
    const stage = { gateway, devices, folder, requests };
    await order(devices, { do: "connect", configs: busy.map(({ config }) => config) });
    await order(devices, { do: "echo", port: brokerPort });
    await saturate(stage, 64, WARM_UP_S);

    const throughput = [];
    if (wants("throughput")) {
      for (const concurrency of CONCURRENCIES) throughput.push(await saturate(stage, concurrency, SECONDS));
    }
    const latency = wants("latency") ? await pace(stage, brokerPort) : undefined;
    const crowd = wants("crowd") ? await gather(stage, made) : undefined;

    const best = Math.max(...throughput.map(({ perSecond }) => perSecond));
    console.log(
      JSON.stringify({
        bench: "commands",
        cores: cpus().length,
        load: loadavg().map((value) => Math.round(value * 10) / 10),
        ...(throughput.length > 0 && { executionsPerSecond: best }),
        throughput,
        latency,
        crowd,
        goals: {
          ...(throughput.length > 0 && { executionsPerSecond: best >= 2_000 }),
          ...(latency && { ratio: latency.ratio <= 1, p99: latency.execute.p99 < 50 }),
          ...(crowd && { lost: crowd.lost === 0 }),
        },
      }),
    );
  } finally {
    for (const child of children) child.disconnect();
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As many executions as it takes: each connection sends the next one when the last has ended. */
async function saturate({ gateway, devices, requests }: Stage, concurrency: number, seconds: number) {
  const connections = await Promise.all(Array.from({ length: concurrency }, () => openHttp(gateway.port)));
  const cpu = () => [
    cpuSeconds(gateway.pid),
    cpuSeconds(gateway.pid, "main"),
    cpuSeconds(devices.pid ?? 0),
    cpuSeconds(process.pid),
  ];
  const before = cpu();
  const times: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  const client = async (connection: HttpConnection, first: number): Promise<void> => {
    for (let turn = first; performance.now() < end; turn++) {
      const sent = performance.now();
      await execute(connection, requests[turn % requests.length]);
      times.push(performance.now() - sent);
    }
    connection.close();
  };
  await Promise.all(connections.map(client));
  const length = (performance.now() - began) / 1000;
  const [all, main, others, own] = cpu().map((spent, at) =>
    Math.round(((spent - (before[at] ?? 0)) * 1e6) / times.length),
  );
  return {
    concurrency,
    perSecond: Math.round(times.length / length),
    p50: rounded(percentile(times, 0.5)),
    p99: rounded(percentile(times, 0.99)),
    /** Processor time of each process per execution, in microseconds: says the same on a busy machine. */
    cpuUs: { gateway: all, gatewayMainThread: main, devices: others, load: own },
  };
}

/** At a fixed rate, in turns with a bare round trip, so that both meet the same moments of the machine. */
async function pace({ gateway, folder, requests }: Stage, brokerPort: number) {
  const bare = await openRoundTrip(brokerPort);
  const free = await Promise.all(Array.from({ length: 32 }, () => openHttp(gateway.port)));
  const times = { execute: [] as number[], bare: [] as number[] };
  const flushes = [...flushTimes(folder, 300)];
  const under: Promise<void>[] = [];
  const timed = async (into: number[], work: () => Promise<void>): Promise<void> => {
    const sent = performance.now();
    await work();
    into.push(performance.now() - sent);
  };
  const run = async (turn: number): Promise<void> => {
    const connection = free.pop() ?? (await openHttp(gateway.port));
    await execute(connection, requests[turn % requests.length]);
    free.push(connection);
  };
  const began = performance.now();
  for (let turn = 0; turn < SECONDS * RATE * 2; turn++) {
    const wait = began + (turn * 1000) / (RATE * 2) - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    under.push(turn % 2 === 0 ? timed(times.execute, () => run(turn / 2)) : timed(times.bare, bare.ask));
  }
  await Promise.all(under);
  flushes.push(...flushTimes(folder, 300));
  for (const connection of free) connection.close();
  await bare.close();
  const [execution, round, flush] = [times.execute, times.bare, flushes].map((one) => percentile(one, 0.5)) as [
    number,
    number,
    number,
  ];
  return {
    rate: RATE,
    execute: { p50: rounded(execution), p99: rounded(percentile(times.execute, 0.99)) },
    bareRoundTrip: { p50: rounded(round), p99: rounded(percentile(times.bare, 0.99)) },
    flush: { p50: rounded(flush), p99: rounded(percentile(flushes, 0.99)) },
    /** At most 1 is the goal. */
    ratio: rounded(execution / (5 * round + flush)),
  };
}

/** A thousand devices that only listen, and a hundred that send a value a second. */
async function gather({ gateway, devices }: Stage, made: readonly BenchDevice[]) {
  const before = memoryMiB(gateway.pid);
  await order(devices, { do: "connect", configs: made.slice(BUSY_DEVICES).map(({ config }) => config) });
  const connected = memoryMiB(gateway.pid);
  const idle = await share(gateway.pid, () => new Promise((resolve) => setTimeout(resolve, (SECONDS * 1000) / 2)));
  const from = Date.now() / 1000 - 1;
  let report: DeviceReport | undefined;
  const active = await share(gateway.pid, async () => {
    report = await order(devices, { do: "telemetry", active: ACTIVE, seconds: SECONDS });
  });
  const stored = await countStored(gateway, made.slice(0, ACTIVE), { from, to: Date.now() / 1000 + 1 });
  return {
    connections: made.length,
    memoryMiB: { before, connected, after: memoryMiB(gateway.pid) },
    /** Per cent of one core. */
    cpu: { idle, active },
    sent: report?.sent ?? 0,
    acknowledged: report?.acknowledged ?? 0,
    stored,
    lost: (report?.sent ?? 0) - stored,
  };
}

async function countStored(
  gateway: Gateway,
  devices: readonly BenchDevice[],
  range: { from: number; to: number },
): Promise<number> {
  let stored = 0;
  for (const { id } of devices) {
    const csv = await gateway.call("/telemetry/v1/timeseries", {
      ...range,
      aggregation: "count",
      granularity: "1h",
      telemetry: [{ device: id, attribute: "power" }],
    });
    for (const row of csv.trim().split("\n").slice(1)) stored += Number(row.split(",")[1]);
  }
  return stored;
}

async function share(pid: number, work: () => Promise<void>): Promise<number> {
  const [cpu, clock] = [cpuSeconds(pid), performance.now()];
  await work();
  return rounded(((cpuSeconds(pid) - cpu) * 100_000) / (performance.now() - clock));
}

async function execute(connection: HttpConnection, request: Buffer | undefined): Promise<void> {
  const answer = await connection.send(request ?? Buffer.alloc(0));
  if (!answer.includes('"state":"SUCCESS"')) throw new Error(`an execution did not succeed: ${answer}`);
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
