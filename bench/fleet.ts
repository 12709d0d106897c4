// A cloud node with many joined gateways, which speak the real protocol from a process of their own: memory of the node for
// each gateway, how long all of them need to come back at once, processor time while nothing happens and while all of them
// report, and commands through one of them, alone and beside the others. Prints one JSON line; times are in milliseconds.
// Goals: 1,000 gateways on one node, less than 100 kB for each, a command beside 1,000 others within twice the time alone.
//   npm run bench -- fleet [--gateways 1000] [--seconds 20] [--every 15] [--runs 200]
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Gateway as Server, startGateway } from "./commands/gateway.ts";
import { cpuSeconds, memoryMiB, percentile } from "./commands/machine.ts";
import { type FleetAnswer, type FleetOrder, runGateways } from "./fleet/gateways-process.ts";

const self = fileURLToPath(import.meta.url);
if (process.argv[2] === "gateways") runGateways();
else await measure();

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: {
      gateways: { type: "string", default: "1000" },
      seconds: { type: "string", default: "20" },
      every: { type: "string", default: "15" },
      runs: { type: "string", default: "200" },
    },
  });
  const [count, seconds, every, runs] = [values.gateways, values.seconds, values.every, values.runs].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const parent = fileURLToPath(new URL("../.busbar/", import.meta.url));
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "bench-fleet-"));
  const limits = ["--http-connections-per-address", "10000"];
  const heapFile = join(folder, "heap");
  process.env["NODE_OPTIONS"] = `--import=${fileURLToPath(new URL("./fleet/report-heap.mjs", import.meta.url))}`;
  process.env["BENCH_HEAP_FILE"] = heapFile;
  const cloud = await startGateway(join(folder, "data"), ["--role", "cloud", ...limits]);
  delete process.env["NODE_OPTIONS"];
  const fleet = fork(self, ["gateways"]);
  /** Bytes on the main thread of the cloud that are no garbage. */
  const heapBytes = async () => {
    rmSync(heapFile, { force: true });
    process.kill(cloud.pid, "SIGUSR2");
    while (!existsSync(heapFile)) await rest(0.1);
    await rest(0.1);
    return Number(readFileSync(heapFile, "utf8"));
  };
  const say = (text: string) => process.stderr.write(`${text}\n`);
  try {
    const first = await order(fleet, { do: "join", url: cloud.url, codes: await makeCodes(cloud, 1) });
    const [deviceId = ""] = first.deviceIds;
    await isReachable(cloud, deviceId);
    const alone = await commandTimes(cloud, deviceId, runs);
    say(`one gateway: commands p50 ${round(percentile(alone, 0.5))} ms`);
    await rest(5);
    const [before, residentBefore] = [await heapBytes(), memoryMiB(cloud.pid)];
    const joining = await order(fleet, { do: "join", url: cloud.url, codes: await makeCodes(cloud, count - 1) });
    say(`${count} gateways have joined in ${Math.round(joining.ms)} ms`);
    await rest(10);
    const idleFrom = cpuSeconds(cloud.pid);
    await rest(seconds);
    const idle = (cpuSeconds(cloud.pid) - idleFrom) / seconds;
    const perGateway = ((await heapBytes()) - before) / (count - 1);
    const residentGrowth = memoryMiB(cloud.pid) - residentBefore;
    const quiet = await commandTimes(cloud, deviceId, runs);
    const storm = await order(fleet, { do: "reconnect" });
    say(`all are back after ${Math.round(storm.ms)} ms`);
    await isReachable(cloud, deviceId);
    await order(fleet, { do: "report", everyMs: every * 1_000 });
    await rest(2);
    const busyFrom = cpuSeconds(cloud.pid);
    await rest(seconds);
    const reporting = (cpuSeconds(cloud.pid) - busyFrom) / seconds;
    const beside = await commandTimes(cloud, deviceId, runs);
    await order(fleet, { do: "report", everyMs: 0 });
    const listing = performance.now();
    const overview = JSON.parse(await cloud.call("/v3/gateways/overview")) as { connected: number };
    const overviewMs = performance.now() - listing;
    console.log(
      JSON.stringify({
        bench: "fleet",
        gateways: count,
        connected: overview.connected,
        bytes_per_gateway: Math.round(perGateway),
        resident_growth_mib: residentGrowth,
        join_ms: Math.round(joining.ms),
        storm_ms: Math.round(storm.ms),
        idle_cores: round(idle, 3),
        reporting_cores: round(reporting, 3),
        report_every_s: every,
        overview_ms: round(overviewMs),
        command_ms: { alone: summary(alone), beside_idle: summary(quiet), beside_reporting: summary(beside) },
        beside_to_alone: round(percentile(beside, 0.5) / percentile(alone, 0.5)),
        cores: cpus().length,
        load: round(loadavg()[0] ?? 0),
      }),
    );
  } finally {
    fleet.kill();
    await cloud.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function order(fleet: ChildProcess, what: FleetOrder): Promise<FleetAnswer> {
  fleet.send(what);
  const answered = once(fleet, "message") as Promise<[FleetAnswer]>;
  const ended = once(fleet, "exit").then(() => {
    throw new Error("the process of the gateways has ended");
  });
  const [answer] = await Promise.race([answered, ended]);
  return answer;
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

function rest(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}

function round(value: number, places = 2): number {
  return Math.round(value * 10 ** places) / 10 ** places;
}

function summary(times: readonly number[]): { readonly p50: number; readonly p99: number } {
  return { p50: round(percentile(times, 0.5)), p99: round(percentile(times, 0.99)) };
}
