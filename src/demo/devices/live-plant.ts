import { type Plant, type PlantMemory, resumePlant, runPlant } from "#demo/plant/plant.ts";
import { DAY_MS, type PlantSite } from "#demo/plant/site.ts";

/** The plant as it is now. Time passes only by `advance`. */
export interface LivePlant {
  now(): Plant;
  /** Advances time to a moment; if the clock went back, the plant waits for it. */
  advance(to: number): Plant;
  /** Makes a change that a device was ordered to make; false when it refuses. */
  change(order: (plant: Plant) => Plant | undefined): boolean;
  memory(): PlantMemory;
}

const STEP_MS = 30_000;
/** After a long time off, coarse steps are good enough. */
const LONG_MS = 2 * DAY_MS;
const LONG_STEP_MS = 10 * 60_000;
/** A plant that is further ahead of the clock than this does not wait for it. */
const MAX_AHEAD_MS = 3_600_000;

export function createLivePlant(site: PlantSite, memory: PlantMemory): LivePlant {
  let plant = resumePlant(site, memory);
  return {
    now: () => plant,
    advance(to) {
      if (plant.at > to + MAX_AHEAD_MS) plant = { ...plant, at: to };
      const stepMs = to - plant.at > LONG_MS ? LONG_STEP_MS : STEP_MS;
      plant = runPlant(site, plant, { to, stepMs });
      return plant;
    },
    change(order) {
      const changed = order(plant);
      if (changed === undefined) return false;
      plant = changed;
      return true;
    },
    memory() {
      const { at, inverter, battery, electrolyser, charger, meter, mast } = plant;
      return { at, inverter, battery, electrolyser, charger, meter, mast };
    },
  };
}
