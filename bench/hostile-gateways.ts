// A cloud node with 20 gateways, three of them hostile: one sends packed bombs, one records that break every rule, one
// telemetry of ever new attributes. Reads and commands through the honest ones, before and meanwhile; memory of the node;
// points and executions of honest gateways that are missing afterwards. Prints one JSON line; times are in milliseconds, by
// the clock and as an idle machine would need at least (docs/decisions/hostile-neighbours.md).
// Goals: reads p99 < 100 ms, commands p99 < 500 ms, memory < 400 MB, nothing lost.
// With words, only the hostile gateways whose deeds have one of them in their names.
//   npm run bench -- hostile-gateways [seconds] [words]
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, setPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWorld, type HostileSite } from "../test/hostile/abuse.ts";
import { ACTS, attack } from "../test/hostile/abuses/links.ts";
import { type Latency, pace } from "../test/hostile/honest-neighbour.ts";
import { processorTimes } from "../test/hostile/machine.ts";
import { joinSimulated } from "../test/support/simulated-gateway.ts";
import { type Gateway as Cloud, startGateway } from "./commands/gateway.ts";
import { memoryMiB, percentile } from "./commands/machine.ts";

const HONEST = 17;
const READ_EVERY_MS = 20;
const COMMAND_EVERY_MS = 100;
const REPORT_EVERY_MS = 1_000;
const CALM_MS = 10_000;
const SAMPLE_MS = 10_000;
const HOSTILE = [
  "packed bombs",
  "devices without end, among records that break every rule",
  "telemetry of ever new attributes without end",
] as const;

const self = fileURLToPath(import.meta.url);
const [role = "30", ...more] = process.argv.slice(2);
if (role === "hostile") await attackAll(more);
else await measure(Number(role) * 1_000, more);

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Runs until the process is ended. */
async function attackAll([url = "", token = "", ...names]: readonly string[]): Promise<void> {
  setPriority(19);
  const site = { url, address: "127.0.0.66", tokens: { system: token } } as HostileSite;
  const world = createWorld(site);
  for (const name of names) await attack(world, ACTS[name as keyof typeof ACTS], 1);
  process.on("message", () => process.send?.(Object.fromEntries(world.counts)));
  process.send?.("started");
}

async function measure(lengthMs: number, words: readonly string[]): Promise<void> {
  const acts = HOSTILE.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  const parent = fileURLToPath(new URL("../.busbar/", import.meta.url));
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "bench-hostile-"));
  const cloud = await startGateway(join(folder, "data"), ["--role", "cloud"]);
  try {
    const gateways = await joinHonest(cloud);
    const neighbours = createNeighbours(
      cloud,
      gateways.map(({ deviceId }) => deviceId),
    );
    await neighbours.areReady();
    say("all honest gateways are ready");
    let reports = 0;
    const reporting = setInterval(() => {
      reports++;
      for (const one of gateways) void one.report();
    }, REPORT_EVERY_MS);
    const calm = await neighbours.measure(CALM_MS);
    const hostile = fork(self, ["hostile", cloud.url, cloud.headers["X-Service-Auth-Token"] ?? "", ...acts]);
    await once(hostile, "message");
    say(`before: ${JSON.stringify(calm)}`);
    const memory = watchMemory(cloud.pid);
    const beside = await neighbours.measure(lengthMs);
    hostile.send("counts");
    const [done] = (await once(hostile, "message")) as [object];
    hostile.kill("SIGKILL");
    const { most, samples } = memory.end();
    clearInterval(reporting);
    const missing = await neighbours.missing(reports);
    console.log(
      JSON.stringify({
        bench: "hostile-gateways",
        seconds: lengthMs / 1_000,
        honest: HONEST,
        hostile: acts.length,
        done,
        calm,
        beside,
        memoryMB: most,
        memoryEvery10s: samples,
        points: reports * HONEST,
        ...missing,
        load: Math.round(loadavg()[0] ?? 0),
      }),
    );
    await Promise.all(gateways.map(({ uplink }) => uplink.stop()));
  } finally {
    await cloud.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The most, and the most of each ten seconds: whether it still rises at the end. */
function watchMemory(pid: number) {
  const samples: number[] = [];
  let since = performance.now();
  let most = 0;
  const look = () => {
    most = Math.max(most, memoryMiB(pid));
    if (performance.now() - since < SAMPLE_MS) return;
    say(`memory: ${most} MB`);
    samples.push(most);
    since += SAMPLE_MS;
    most = 0;
  };
  const watching = setInterval(look, 25);
  return {
    end() {
      clearInterval(watching);
      if (most > 0) samples.push(most);
      return { most: Math.max(...samples), samples };
    },
  };
}

async function joinHonest(cloud: Cloud) {
  return await Promise.all(
    Array.from({ length: HONEST }, async () => {
      const { code } = JSON.parse(await cloud.call("/v3/gateways/join_codes", {})) as { code: string };
      const gateway = await joinSimulated(cloud.url, code);
      await gateway.uplink.restart();
      return gateway;
    }),
  );
}

/** Those who use the honest gateways through the cloud. */
function createNeighbours(cloud: Cloud, deviceIds: readonly string[]) {
  const executions: string[] = [];
  const deviceOf = (turn: number) => deviceIds[turn % deviceIds.length] ?? "";
  const reads = [
    (id: string) => `/v3/devices/${id}`,
    (id: string) => `/telemetry/v1/now?devices[${id}]=value_0,value_1`,
    () => "/v3/sites?limit=50",
    () => "/v3/devices?limit=50",
  ];
  const read = async (turn: number) => void (await cloud.call(reads[turn % reads.length]?.(deviceOf(turn)) ?? ""));
  async function command(turn: number): Promise<void> {
    const answer = await cloud.call(`/v3/devices/${deviceOf(turn)}/commands/execute`, { name: "start" });
    const { execution } = JSON.parse(answer) as { execution: { id: string; state: string } };
    if (execution.state !== "SUCCESS") throw new Error(`a command ended as ${execution.state}`);
    executions.push(execution.id);
  }
  const times = (threads: "main" | "all") => () => {
    const { ranMs, waitedMs } = processorTimes(cloud.pid, threads);
    return { ranMs, waitedMs: new Map([...waitedMs, ...processorTimes(process.pid).waitedMs]) };
  };
  return {
    async areReady(): Promise<void> {
      for (const [turn] of deviceIds.entries()) {
        for (let tries = 0; tries < 300; tries++) {
          const isReady = await command(turn).then(
            () => true,
            () => false,
          );
          if (isReady) break;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    },
    async measure(lengthMs: number) {
      const refused: string[] = [];
      const common = { lengthMs, refused, isRunning: () => true };
      const [readTimes, commandTimes] = await Promise.all([
        pace({ ...common, everyMs: READ_EVERY_MS, act: read, times: times("main") }),
        pace({ ...common, everyMs: COMMAND_EVERY_MS, act: command, times: times("all") }),
      ]);
      return {
        reads: summary(readTimes),
        commands: summary(commandTimes),
        refused: refused.length,
        ...(refused.length > 0 && { first: refused[0]?.slice(0, 200) }),
      };
    },
    /** What was acknowledged and is not there. Waits for points that are on their way. */
    async missing(reports: number) {
      let missingPoints = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < 60 && missingPoints > 0; tries++) {
        if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 500));
        const counts = await Promise.all(deviceIds.map((id) => pointsOf(cloud, id)));
        missingPoints = counts.reduce((sum, count) => sum + Math.max(0, reports - count), 0);
      }
      const listed = new Set((await Promise.all(deviceIds.map((id) => successesOf(cloud, id)))).flat());
      const missingExecutions = executions.filter((id) => !listed.has(id)).length;
      return { missingPoints, executions: executions.length, missingExecutions };
    },
  };
}

async function pointsOf(cloud: Cloud, device: string): Promise<number> {
  const now = Date.now() / 1_000;
  const telemetry = [{ device, attribute: "value_0" }];
  const query = { from: now - 3_600, to: now + 60, granularity: "1ms", aggregation: "last", telemetry };
  return (await cloud.call("/telemetry/v1/timeseries", query)).trim().split("\n").length - 1;
}

async function successesOf(cloud: Cloud, device: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let offset = 0; ; offset += 100) {
    const path = `/v3/devices/${device}/commands/executions?limit=100&offset=${offset}`;
    const { executions } = JSON.parse(await cloud.call(path)) as {
      executions: readonly { id: string; state: string }[];
    };
    ids.push(...executions.filter(({ state }) => state === "SUCCESS").map(({ id }) => id));
    if (executions.length < 100) return ids;
  }
}

function summary(times: readonly Latency[]) {
  const at = (share: number, kind: keyof Latency) =>
    Math.round(
      percentile(
        times.map((one) => one[kind]),
        share,
      ),
    );
  return { count: times.length, p50: at(0.5, "wall"), p99: at(0.99, "wall"), idleP99: at(0.99, "net") };
}
