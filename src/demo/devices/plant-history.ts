// What the plant would have measured in the past, newest first, as columns that the telemetry store loads.

import type { Attributes, AttributeValue } from "#demo/devices/register-map.ts";
import { newPlant, type Plant, stepPlant } from "#demo/plant/plant.ts";
import type { PlantSite } from "#demo/plant/site.ts";
import type { LoadedColumn } from "#service/ports/telemetry-store.ts";

/** Between two points. */
export const HISTORY_STEP_MS = 30_000;
/** What is generated at once; pieces begin at whole multiples, because that is how telemetry is stored. */
const HISTORY_PIECE_MS = 6 * 3_600_000;
/** Steps between two turns of everything else. */
const SLICE = 500;

/** The plant at `from`, at the start of each piece since then, and at `to`, if nobody touched it. Both are on the grid of steps. */
export async function foldPast(
  site: PlantSite,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly Plant[]> {
  let plant = newPlant(site, from);
  const starts = [plant];
  for (let n = 1; plant.at + HISTORY_STEP_MS <= to; n++) {
    plant = stepPlant(site, plant, plant.at + HISTORY_STEP_MS);
    if (plant.at % HISTORY_PIECE_MS === 0) starts.push(plant);
    if (n % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  if (starts.at(-1) !== plant) starts.push(plant);
  return starts;
}

/** The plant at each step from one of these moments to another, the first one left out. */
export function stepsAfter(site: PlantSite, start: Plant, to: number): readonly Plant[] {
  const steps: Plant[] = [];
  let plant = start;
  while (plant.at + HISTORY_STEP_MS <= to) {
    plant = stepPlant(site, plant, plant.at + HISTORY_STEP_MS);
    steps.push(plant);
  }
  return steps;
}

export function historyColumns(attributes: Attributes, plants: readonly Plant[]): readonly LoadedColumn[] {
  return Object.entries(attributes).flatMap(([attribute, read]) => {
    const points = plants.flatMap((plant) => {
      const value = read(plant);
      return value === undefined ? [] : [{ at: plant.at, value }];
    });
    const [first] = points;
    if (first === undefined) return [];
    const times = Float64Array.from(points, ({ at }) => at);
    return [{ attribute, count: points.length, times, ...packed(points.map(({ value }) => value)) }];
  });
}

function packed(values: readonly AttributeValue[]): Pick<LoadedColumn, "kind" | "values"> {
  const [first] = values;
  if (typeof first === "number") return { kind: "number", values: Float64Array.from(values, Number) };
  if (typeof first === "boolean") return { kind: "boolean", values: Uint8Array.from(values, Number) };
  return { kind: "text", values: values.map(String) };
}
