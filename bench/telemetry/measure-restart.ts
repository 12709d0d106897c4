// How long a gateway takes to be ready: with nothing, after kill -9 with a full open hour in the journal, and in the state that a flood
// of messages has left.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { loadSeries, prepareSite, type Site, startBusbar, telemetryFile } from "./busbar.ts";
import type { Size } from "./data.ts";

const RUNS = 5;

export async function measureRestart(folder: string, flooded: Site, size: Size): Promise<object> {
  const own = join(folder, "restart");
  mkdirSync(own);
  const site = await prepareSite(own, size);
  const emptyMs = await startAfterKill(site);
  const { points } = await loadSeries("hour", telemetryFile(site), { devices: site.devices, size });
  return {
    emptyMs,
    openPoints: points,
    afterKillMs: await startAfterKill(site),
    afterFloodMs: await startAfterKill(flooded),
  };
}

/** The middle one of several. */
async function startAfterKill(site: Site): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const busbar = await startBusbar(site);
    await busbar.kill();
    // The first one is there to be killed.
    if (run > 0) times.push(busbar.startMs);
  }
  return Math.round(times.sort((a, b) => a - b)[RUNS >> 1] ?? Number.NaN);
}
