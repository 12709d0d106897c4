// How long a gateway is away after kill -9 under load: simulated devices send and commands are created without a pause, the
// process is killed, and the time from its next start until /readyz answers is taken. Next to it the same program on an empty
// folder, in turns. Goal: p95 under 2 s. On a busy machine the processor seconds until ready say more than the clock, so both are
// printed, with the load. Prints one JSON line. BENCH_DEVICES and BENCH_ROUNDS shrink it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunningBusbar, startBusbar } from "../test/support/start-busbar.ts";
import { cpuSeconds } from "./commands/machine.ts";

const DEVICES = Number(process.env["BENCH_DEVICES"] ?? 50);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 10);
const CALLERS = 16;
const LOAD_MS = 2_000;
const GOAL_MS = 2_000;
const WARM_MS = 12_000;
const MANIFEST = `blueprint_spec: device/3.0
display_name: Pump
runtime: { type: embedded }
telemetry:
  power: { type: float, unit: W, display_name: Power }
  flow: { type: float, display_name: Flow }
command_groups: { main: { display_name: Main } }
commands: { stop: { group: main, display_name: Stop } }
`;

interface Ready {
  readonly ms: number;
  readonly cpu: number;
}

async function post<Answer>(url: string, data: string, body: string): Promise<Answer> {
  const token = readFileSync(join(data, ".busbar", "admin.token"), "utf8").trim();
  const response = await fetch(url, { method: "POST", headers: { "X-Service-Auth-Token": token }, body });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

async function startTimed(data: string): Promise<{ readonly busbar: RunningBusbar; readonly ready: Ready }> {
  const began = performance.now();
  const busbar = await startBusbar(data);
  while ((await fetch(`${busbar.url}/readyz`)).status !== 200) await sleep(5);
  return { busbar, ready: { ms: performance.now() - began, cpu: cpuSeconds(busbar.pid) } };
}

async function provision(busbar: RunningBusbar, data: string): Promise<readonly string[]> {
  type Uploaded = { readonly blueprint: { readonly id: string } };
  const { blueprint } = await post<Uploaded>(`${busbar.url}/v3/blueprints/upload`, data, MANIFEST);
  const ids: string[] = [];
  for (let n = 0; n < DEVICES; n += 1) {
    const device = JSON.stringify({ name: `Pump ${n}`, blueprint_id: blueprint.id });
    const path = `${busbar.url}/v3/provisioning/simulated_device`;
    ids.push((await post<{ readonly device_id: string }>(path, data, device)).device_id);
  }
  return ids;
}

/** Creates commands until the process is gone; gives how many were acknowledged. */
async function load(busbar: RunningBusbar, data: string, ids: readonly string[]): Promise<number> {
  let acknowledged = 0;
  const caller = async (first: number) => {
    for (let n = first; ; n += CALLERS) {
      await post(`${busbar.url}/v3/devices/${ids[n % ids.length]}/commands/executions`, data, '{"name":"stop"}');
      acknowledged += 1;
    }
  };
  const ended = Promise.allSettled(Array.from({ length: CALLERS }, (_, at) => caller(at)));
  await sleep(LOAD_MS);
  await busbar.stop("SIGKILL");
  await ended;
  return acknowledged;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

const two = (value: number): number => Math.round(value * 100) / 100;
const [data, empty] = [mkdtempSync(join(tmpdir(), "busbar-bench-")), mkdtempSync(join(tmpdir(), "busbar-bench-"))];
try {
  let { busbar } = await startTimed(data);
  const ids = await provision(busbar, data);
  // A gateway that has run for a while has kept its compiled code; it is killed after that.
  await sleep(WARM_MS);
  const after: Ready[] = [];
  const without: Ready[] = [];
  let acknowledged = 0;
  for (let at = 0; at < ROUNDS; at += 1) {
    acknowledged += await load(busbar, data, ids);
    const again = await startTimed(data);
    busbar = again.busbar;
    after.push(again.ready);
    const other = await startTimed(empty);
    without.push(other.ready);
    await other.busbar.stop("SIGKILL");
  }
  await busbar.stop();
  const p95 = quantile(
    after.map(({ ms }) => ms),
    0.95,
  );
  const bare = quantile(
    without.map(({ ms }) => ms),
    0.95,
  );
  console.log(
    JSON.stringify({
      benchmark: "restart",
      kills: ROUNDS,
      acknowledged,
      ready_p50_ms: Math.round(
        quantile(
          after.map(({ ms }) => ms),
          0.5,
        ),
      ),
      ready_p95_ms: Math.round(p95),
      ready_cpu_p95_s: two(
        quantile(
          after.map(({ cpu }) => cpu),
          0.95,
        ),
      ),
      to_empty_p95: two(p95 / bare),
      to_empty_cpu_p50: two(
        quantile(
          after.map(({ cpu }) => cpu),
          0.5,
        ) /
          quantile(
            without.map(({ cpu }) => cpu),
            0.5,
          ),
      ),
      goal_ms: GOAL_MS,
      holds: p95 < GOAL_MS,
      load: loadavg().map(two),
      processors: availableParallelism(),
    }),
  );
} finally {
  for (const folder of [data, empty]) rmSync(folder, { recursive: true, force: true });
}
