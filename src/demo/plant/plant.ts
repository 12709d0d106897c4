// The demo site's plant. Weather, grid, loads and cars are functions of time; what devices store (charge, heat, hydrogen,
// counters) is folded step by step. At every step: grid = load + car + electrolyser - battery - sun.
import { type Battery, NEW_BATTERY, stepBattery } from "#demo/plant/battery.ts";
import { carVisitAt } from "#demo/plant/car-visit.ts";
import { type Charger, NEW_CHARGER, stepCharger } from "#demo/plant/charger.ts";
import { type Electrolyser, NEW_ELECTROLYSER, stepElectrolyser } from "#demo/plant/electrolyser.ts";
import { type Grid, gridAt } from "#demo/plant/grid.ts";
import { type Inverter, NEW_INVERTER, stepInverter } from "#demo/plant/inverter.ts";
import { type Meter, NEW_METER, stepMeter } from "#demo/plant/meter.ts";
import { drift } from "#demo/plant/noise.ts";
import type { PlantSite } from "#demo/plant/site.ts";
import { siteLoadAt } from "#demo/plant/site-load.ts";
import { span } from "#demo/plant/span.ts";
import { type Weather, weatherAt } from "#demo/plant/weather.ts";
import { NEW_WEATHER_MAST, stepWeatherMast, type WeatherMast } from "#demo/plant/weather-mast.ts";

/** What the plant remembers from step to step; plain values, so that it can be stored. */
export interface PlantMemory {
  /** Unix milliseconds. */
  readonly at: number;
  readonly inverter: Inverter;
  readonly battery: Battery;
  readonly electrolyser: Electrolyser;
  readonly charger: Charger;
  readonly meter: Meter;
  readonly mast: WeatherMast;
}

/** The plant at one moment. */
export interface Plant extends PlantMemory {
  readonly weather: Weather;
  readonly grid: Grid;
  /** W of L1, L2, L3 of everything that is no device. */
  readonly loads: readonly [number, number, number];
}

/** The same plant at the same time, for every caller. */
export function newPlant(site: PlantSite, at: number): Plant {
  const memory: PlantMemory = {
    at,
    inverter: NEW_INVERTER,
    battery: NEW_BATTERY,
    electrolyser: NEW_ELECTROLYSER,
    charger: NEW_CHARGER,
    meter: NEW_METER,
    mast: NEW_WEATHER_MAST,
  };
  return resumePlant(site, memory);
}

export function resumePlant(site: PlantSite, memory: PlantMemory): Plant {
  return stepPlant(site, memory, memory.at);
}

/** One step, however long; shorter ones are truer. */
export function stepPlant(site: PlantSite, memory: PlantMemory, to: number): Plant {
  const during = span(site, memory.at, to);
  const weather = weatherAt(site, to);
  const loads = siteLoadAt(site, to);
  const load = loads[0] + loads[1] + loads[2];
  const air = weather.temperature;
  const inverter = stepInverter(memory.inverter, weather, during);
  const visit = carVisitAt(site, to);
  const charger = stepCharger(memory.charger, { visit, surplus: inverter.acPower - load }, during);
  const surplus = inverter.acPower - load - charger.power;
  const electrolyser = stepElectrolyser(memory.electrolyser, { surplus, air }, during);
  const shortage = load + charger.power + electrolyser.power - inverter.acPower;
  // A converter follows the site with a small delay, so the meter is never quite still.
  const unrest = (drift(site.seed * 64 + 40, to / 7_000) - 0.5) * 90;
  const battery = stepBattery(memory.battery, { shortage: shortage + unrest, air }, during);
  const meter = stepMeter(memory.meter, shortage - battery.power, during);
  const mast = stepWeatherMast(memory.mast, weather, during);
  return { at: to, weather, grid: gridAt(site, to), loads, inverter, battery, electrolyser, charger, meter, mast };
}

/** Many steps of at most `stepMs`, the last one shorter if need be. */
export function runPlant(site: PlantSite, plant: Plant, { to, stepMs }: { to: number; stepMs: number }): Plant {
  let now = plant;
  while (now.at < to) now = stepPlant(site, now, Math.min(to, now.at + stepMs));
  return now;
}
