// Generates the history of the demo site, in the background. Newest first, so that charts fill backwards
// from now. A piece is durable before the next one is generated, so a restart continues where it was.

import type { DemoHistory } from "#demo/demo-record.ts";
import { historyColumns, stepsAfter } from "#demo/devices/plant-history.ts";
import type { Attributes } from "#demo/devices/register-map.ts";
import type { Plant } from "#demo/plant/plant.ts";
import type { PlantSite } from "#demo/plant/site.ts";
import type { Needs } from "#service/ports.ts";

export interface HistoryNeeds extends Pick<Needs, "telemetry" | "devices"> {
  readonly site: PlantSite;
  /** The plant at the start of each piece and at the end, as `foldPast` gives it. */
  readonly past: readonly Plant[];
  /** By device id. */
  readonly attributes: ReadonlyMap<string, Attributes>;
  /** Called after each piece is stored. */
  readonly onStored: (history: DemoHistory, points: number) => Promise<void>;
}

/** Stops between two pieces on this signal. */
export async function fillHistory(needs: HistoryNeeds, history: DemoHistory, signal: AbortSignal): Promise<void> {
  let { storedFrom } = history;
  for (let n = needs.past.length - 2; n >= 0; n--) {
    const [start, end] = [needs.past[n], needs.past[n + 1]];
    if (start === undefined || end === undefined || end.at <= history.from || signal.aborted) return;
    if (end.at > storedFrom) continue;
    const steps = stepsAfter(needs.site, start, { end: end.at, to: history.to });
    const plants = steps.filter(({ at }) => at > history.from);
    const points = await store(needs, { plants, to: history.to }, signal);
    if (points === undefined) return;
    storedFrom = Math.max(history.from, start.at);
    await needs.onStored({ ...history, storedFrom }, points);
  }
}

/** The number of points; undefined when it was stopped. A device that was deleted meanwhile gets none. */
async function store(
  { telemetry, devices, attributes }: HistoryNeeds,
  { plants, to }: { readonly plants: readonly Plant[]; readonly to: number },
  signal: AbortSignal,
): Promise<number | undefined> {
  let points = 0;
  for (const [deviceId, read] of attributes) {
    if (signal.aborted) return undefined;
    if ((await devices.find(deviceId)) === undefined) continue;
    const columns = historyColumns(read, plants, to);
    if (columns.length === 0) continue;
    points += columns.reduce((sum, { count }) => sum + count, 0);
    await telemetry.load(deviceId, columns);
  }
  return points;
}
