// How long a gateway takes to be ready again after kill -9 with a full open hour in the journal.
import { loadSeries, type Site, startBusbar, telemetryFile } from "./busbar.ts";
import type { Size } from "./data.ts";

export async function measureRestart(site: Site, size: Size): Promise<object> {
  const empty = await startBusbar(site);
  await empty.stop();
  const { points } = await loadSeries("hour", telemetryFile(site), { devices: site.devices, size });
  const full = await startBusbar(site);
  await full.kill();
  const again = await startBusbar(site);
  await again.stop();
  return {
    openPoints: points,
    emptyMs: Math.round(empty.startMs),
    readyMs: Math.round(full.startMs),
    afterKillMs: Math.round(again.startMs),
  };
}
