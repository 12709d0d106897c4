// Queries at once: answers a second, how long each takes, and the memory for them. All ask for ten attributes by the minute.

import { cpuSeconds, percentile } from "../commands/machine.ts";
import { type Busbar, loadSeries, peakMemory, prepareSite, startBusbar, telemetryFile } from "../telemetry/busbar.ts";
import { sizeOf } from "../telemetry/data.ts";
import { type Question, questions } from "../telemetry/engine.ts";
import { significant } from "./cost.ts";
import { type Curve, type Figures, round } from "./curve.ts";

const MIB = 1024 * 1024;
const WARM_UP = 200;
/** By each client at least so many answers, and all together so long. */
const LEAST_ANSWERS = 3;
const MS = 3_000;

export const queriesCurve: Curve = {
  of: "queries at once",
  sizes: [1, 2, 4, 8, 16, 32, 64],
  to: 64,
  growth: {
    answer_cpu_ms: { with: "nothing", noise: 0.5 },
    p50_ms: { with: "size", noise: 1 },
    p99_ms: { with: "size", noise: 5 },
    memory_mib: { with: "nothing", noise: 40 },
  },
  async measure(sizes, { folder, point, say }) {
    const size = sizeOf(0.1);
    const site = await prepareSite(folder, size);
    await loadSeries("all", telemetryFile(site), { devices: site.devices, size: { ...size, days: 3 } });
    say("loaded");
    const busbar = await startBusbar(site, { bucketCacheMb: 0 });
    const [question] = questions(size);
    try {
      if (question === undefined) return;
      for (let run = 0; run < WARM_UP; run++) await busbar.ask(question, false);
      for (const clients of sizes) point(clients, await askAtOnce(busbar, question, clients));
    } finally {
      await busbar.stop();
    }
  },
};

async function askAtOnce(busbar: Busbar, question: Question, clients: number): Promise<Figures> {
  const pid = busbar.pid ?? 0;
  const times: number[] = [];
  const before = cpuSeconds(pid);
  const began = performance.now();
  const client = async () => {
    for (let answers = 0; answers < LEAST_ANSWERS || performance.now() - began < MS; answers++) {
      const asked = performance.now();
      await busbar.ask(question, false);
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - began) / 1_000;
  return {
    answers_per_s: Math.round(times.length / seconds),
    answer_cpu_ms: significant(((cpuSeconds(pid) - before) * 1_000) / times.length),
    p50_ms: round(percentile(times, 0.5)),
    p99_ms: round(percentile(times, 0.99)),
    memory_mib: Math.round(busbar.memory() / MIB),
    peak_mib: Math.round(peakMemory(busbar) / MIB),
  };
}
