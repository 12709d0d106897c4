// What the plant would have measured in the past, newest first, as columns that the telemetry store loads.

import type { Attributes, AttributeValue } from "#demo/devices/register-map.ts";
import { NEW_BATTERY } from "#demo/plant/battery.ts";
import { newPlant, type Plant, resumePlant, stepPlant } from "#demo/plant/plant.ts";
import { DAY_MS, HOUR_MS, type PlantSite } from "#demo/plant/site.ts";
import type { LoadedColumn } from "#service/ports/telemetry-store.ts";

/** Between two points of the last days. */
export const HISTORY_STEP_MS = 30_000;
/** Between two points of the time before them. */
const COARSE_STEP_MS = 900_000;
/** So many days have every attribute, at every step. */
const FINE_MS = 7 * DAY_MS;
/** The cells of the battery drift apart for this long until the present. */
const DRIFT_MS = 8 * DAY_MS;
/** What is generated at once; pieces begin at whole multiples, because that is how telemetry is stored. */
const FINE_PIECE_MS = 6 * HOUR_MS;
const COARSE_PIECE_MS = 8 * DAY_MS;
/** Steps between two turns of everything else. */
const SLICE = 500;
/** What is known of the time before the last days: enough for the energies of months and a year. */
const COARSE_ATTRIBUTES: ReadonlySet<string> = new Set([
  "ac_power",
  "yield_total",
  "battery_power",
  "battery_soc",
  "grid_power",
  "grid_energy_import",
  "grid_energy_export",
  "hydrogen_total",
  "charging_power",
  "energy_total",
]);

/** Where the simulation changes to short steps. */
function shortStepsFrom(to: number): number {
  return to - DRIFT_MS - ((to - DRIFT_MS) % COARSE_STEP_MS);
}

/** Whether history has all attributes at this moment, and short steps. */
function isFine(at: number, to: number): boolean {
  return at > to - FINE_MS;
}

/** A moment so long before `to`, and the time in which cells drift, from which the plant can be simulated until then. */
export function originOf(to: number, lengthMs: number): number {
  const origin = to - Math.max(lengthMs, DRIFT_MS);
  return origin - (origin % COARSE_STEP_MS);
}

/** The plant at `from`, at the start of each piece since then, and at `to`, if nobody touched it. */
export async function foldPast(
  site: PlantSite,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly Plant[]> {
  const change = shortStepsFrom(to);
  let plant = newPlant(site, from);
  const starts = [plant];
  for (let n = 1; plant.at + HISTORY_STEP_MS <= to; n++) {
    const isCoarse = plant.at < change;
    plant = stepPlant(site, plant, plant.at + (isCoarse ? COARSE_STEP_MS : HISTORY_STEP_MS));
    if (plant.at === change) plant = withBalancedCells(site, plant);
    if (plant.at === change || plant.at % (isCoarse ? COARSE_PIECE_MS : FINE_PIECE_MS) === 0) starts.push(plant);
    if (n % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  if (starts.at(-1) !== plant) starts.push(plant);
  return starts;
}

/** Somebody balanced its cells, so that they drift apart as those of a new plant. */
function withBalancedCells(site: PlantSite, { battery, ...plant }: Plant): Plant {
  return resumePlant(site, { ...plant, battery: { ...battery, spread: NEW_BATTERY.spread } });
}

/** The plant at each step from one of these moments to another, the first one left out. */
export function stepsAfter(
  site: PlantSite,
  start: Plant,
  { end, to }: { readonly end: number; readonly to: number },
): readonly Plant[] {
  const change = shortStepsFrom(to);
  const steps: Plant[] = [];
  let plant = start;
  while (plant.at + HISTORY_STEP_MS <= end) {
    plant = stepPlant(site, plant, plant.at + (plant.at < change ? COARSE_STEP_MS : HISTORY_STEP_MS));
    if (isFine(plant.at, to) || plant.at % COARSE_STEP_MS === 0) steps.push(plant);
  }
  return steps;
}

export function historyColumns(attributes: Attributes, plants: readonly Plant[], to: number): readonly LoadedColumn[] {
  const coarse = plants.filter(({ at }) => !isFine(at, to));
  return Object.entries(attributes).flatMap(([attribute, read]) => {
    const points = (COARSE_ATTRIBUTES.has(attribute) ? plants : plants.slice(coarse.length)).flatMap((plant) => {
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
