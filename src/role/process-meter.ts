// What this process costs. Reading it takes no timer of its own except that of Node's delay meter.
import { promises } from "node:fs";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { SystemStatus, ThreadUse } from "#service/ports/system-status.ts";

const RESOLUTION_MS = 20;
/** Two readings within this time give the same figures: the second one would be about nothing. */
const SHORTEST_MS = 1_000;
/** Linux counts processor time in hundredths of a second. */
const TICKS = 100;

export interface ProcessMeter {
  read(): Promise<SystemStatus["process"]>;
  stop(): void;
}

export function createProcessMeter(): ProcessMeter {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let from = performance.eventLoopUtilization();
  let readAt = performance.now();
  let latest = { mainThreadBusy: 0, delayMs: 0 };

  function measure(): typeof latest {
    if (performance.now() - readAt < SHORTEST_MS) return latest;
    const now = performance.eventLoopUtilization();
    latest = {
      mainThreadBusy: performance.eventLoopUtilization(now, from).utilization,
      delayMs: Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS),
    };
    [from, readAt] = [now, performance.now()];
    delays.reset();
    return latest;
  }

  return {
    read: async () => ({
      ...measure(),
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      memoryBytes: process.memoryUsage.rss(),
      threads: await readThreads("/proc/self/task").catch(() => undefined),
    }),
    stop: () => delays.disable(),
  };
}

async function readThreads(folder: string): Promise<readonly ThreadUse[]> {
  const found = new Map<string, ThreadUse>();
  const stats = await Promise.all(
    (await promises.readdir(folder)).map((id) => promises.readFile(`${folder}/${id}/stat`, "utf8").catch(() => "")),
  );
  for (const stat of stats) {
    // The name is in brackets and may hold any sign; the fields after it are numbers.
    const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    if (name === "") continue;
    const fields = rest.split(" ");
    const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS;
    const known = found.get(name);
    found.set(name, { name, count: (known?.count ?? 0) + 1, cpuSeconds: (known?.cpuSeconds ?? 0) + cpuSeconds });
  }
  return [...found.values()].sort((a, b) => b.cpuSeconds - a.cpuSeconds);
}
