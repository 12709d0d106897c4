// What simulated devices cost: the model alone, and in a gateway of its own process that runs 1,000 of them at 1 Hz, next to
// the same gateway without any. Goal: under 50 % of one core for 1,000 devices, everything stored.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { untouched } from "#core/simulator/adjustments.ts";
import { createDeviceModel } from "#core/simulator/device-model.ts";
import { instant } from "#core/time/instant.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseUnit } from "#manifest/units.ts";
import { type Gateway, startGateway } from "./commands/gateway.ts";
import { cpuSeconds, memoryMiB } from "./commands/machine.ts";

const DEVICES = Number(process.env["BENCH_DEVICES"] ?? 1_000);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 10);
const AT_ONCE = 50;
const MANIFEST = readFileSync(new URL("../examples/blueprints/pv-inverter/manifest.yml", import.meta.url), "utf8");

const { blueprint } = parseManifest(MANIFEST);
if (blueprint === undefined) throw new Error("the example is broken");
const modelUs = measureModel();
const folder = mkdtempSync(join(tmpdir(), "busbar-bench-"));
const gateway = await startGateway(folder);
try {
  const idle = await measure(gateway);
  const first = await makeDevices(gateway);
  const busy = await measure(gateway);
  const points = blueprint.telemetry.size;
  const share = busy.share - idle.share;
  const figures = {
    bench: "simulator",
    devices: DEVICES,
    attributes: points,
    model_us_per_message: round(modelUs, 2),
    idle_share_of_core: round(idle.share, 3),
    share_of_core: round(busy.share, 3),
    us_per_message: round((share / DEVICES) * 1e6, 0),
    model_share_of_message: round(modelUs / ((share / DEVICES) * 1e6), 3),
    kib_per_device: round(((busy.mib - idle.mib) * 1024) / DEVICES, 0),
    stored_of_sent: await storedShare(gateway, first),
    load: round(loadavg()[0] ?? 0, 1),
    goal_met: busy.share < 0.5,
  };
  console.log(JSON.stringify(figures));
} finally {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Microseconds of one message, the best of several rounds. */
function measureModel(): number {
  if (blueprint === undefined) return 0;
  const model = createDeviceModel({ blueprint, seed: 7, offsetMs: 0, readUnit: parseUnit });
  const adjustments = untouched(7, instant(0));
  const count = 20_000;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10; round++) {
    const begin = performance.now();
    for (let step = 0; step < count; step++) model.telemetry(instant(1.78e12 + step * 1_000), adjustments);
    best = Math.min(best, ((performance.now() - begin) * 1_000) / count);
  }
  return best;
}

async function measure({ pid }: Gateway): Promise<{ readonly share: number; readonly mib: number }> {
  await pause(3_000);
  const [before, begin] = [cpuSeconds(pid), performance.now()];
  await pause(SECONDS * 1_000);
  return { share: ((cpuSeconds(pid) - before) * 1_000) / (performance.now() - begin), mib: memoryMiB(pid) };
}

async function makeDevices({ call }: Gateway): Promise<string> {
  const uploaded = JSON.parse(await call("/v3/blueprints/upload", MANIFEST)) as { blueprint: { id: string } };
  const made: string[] = [];
  while (made.length < DEVICES) {
    const names = Array.from({ length: Math.min(AT_ONCE, DEVICES - made.length) }, (_, at) => made.length + at);
    const answers = await Promise.all(
      names.map((name) =>
        call("/v3/provisioning/simulated_device", { name: `Device ${name}`, blueprint_id: uploaded.blueprint.id }),
      ),
    );
    made.push(...answers.map((answer) => (JSON.parse(answer) as { device_id: string }).device_id));
  }
  return made[0] ?? "";
}

/** How many of the last seconds of a device have a value. */
async function storedShare({ call }: Gateway, device: string): Promise<number> {
  const to = Math.floor(Date.now() / 1_000) - 2;
  const csv = await call("/telemetry/v1/timeseries", {
    from: to - SECONDS,
    to,
    granularity: "1s",
    aggregation: "last",
    telemetry: [{ device, attribute: "ac_power" }],
  });
  return round((csv.trim().split("\n").length - 1) / SECONDS, 2);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
