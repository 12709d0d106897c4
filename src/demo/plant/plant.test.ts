import { describe, expect, test } from "vitest";
import { CAPACITY_KWH, EFFICIENCY, MAX_W } from "#demo/plant/battery.ts";
import { TANK_M3 } from "#demo/plant/electrolyser.ts";
import { limitInverter, RATED_W, switchInverter } from "#demo/plant/inverter.ts";
import { chance } from "#demo/plant/noise.ts";
import { newPlant, type Plant, type PlantMemory, resumePlant, runPlant, stepPlant } from "#demo/plant/plant.ts";
import { DAY_MS } from "#demo/plant/site.ts";

const SITE = { seed: 3, latitude: 40, longitude: 15 };
const START = Date.parse("2026-01-01T00:00:00Z");
const MINUTE = 60_000;

const loadOf = ({ loads }: Plant) => loads[0] + loads[1] + loads[2];

/** Somebody who plays with everything: about once in three hours something is ordered, deterministically. */
function meddle(plant: Plant, seed: number): Plant {
  const n = plant.at / MINUTE;
  if (chance(seed, n) > 0.006) return plant;
  const pick = Math.floor(chance(seed + 1, n) * 9);
  const share = chance(seed + 2, n);
  const { inverter, battery, electrolyser, charger } = plant;
  if (pick === 0) return { ...plant, inverter: switchInverter(inverter, share > 0.3, plant.at) };
  if (pick === 1) return { ...plant, inverter: limitInverter(inverter, share * 100, plant.at + 40 * MINUTE) };
  if (pick === 2) {
    const setPoint = (share - 0.5) * 100_000;
    return {
      ...plant,
      battery: { ...battery, setPoint, orderUntil: plant.at + 20 * MINUTE, gridCharging: share > 0.5 },
    };
  }
  if (pick === 3) return { ...plant, battery: { ...battery, openUntil: plant.at + share * 9e5, reserve: share * 40 } };
  if (pick === 4) return { ...plant, battery: { ...battery, isBalancing: true } };
  if (pick === 5) return { ...plant, electrolyser: { ...electrolyser, order: share > 0.5 ? "run" : "surplus" } };
  if (pick === 6) return { ...plant, electrolyser: { ...electrolyser, isDraining: true } };
  if (pick === 7) return { ...plant, electrolyser: { ...electrolyser, setRate: 60 + share * 40 } };
  return { ...plant, charger: { ...charger, order: share > 0.4 ? "fast" : "stop", limit: 6 + share * 26 } };
}

/** What must hold between a step's two ends; gives the first thing that does not. */
function brokenLaw(before: Plant, after: Plant): string | undefined {
  const hours = (after.at - before.at) / 3_600_000;
  const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));
  const { inverter, battery, electrolyser, charger, meter } = after;
  const needed = loadOf(after) + charger.power + electrolyser.power - battery.power - inverter.acPower;
  const stored = ((battery.soc - before.battery.soc) / 100) * CAPACITY_KWH;
  const taken = -(battery.power < 0 ? battery.power * EFFICIENCY : battery.power / EFFICIENCY) * (hours / 1_000);
  const counted = meter.imported - before.meter.imported - (meter.exported - before.meter.exported);
  const gas = (electrolyser.pressure - before.electrolyser.pressure) * TANK_M3;
  const laws: Readonly<Record<string, boolean>> = {
    "the powers add up": isNear(meter.power, needed),
    "the meter counts what flows": isNear(counted, (meter.power * hours) / 1_000),
    "the charge is what went in, less losses": isNear(stored, taken),
    "the battery keeps its limits": battery.soc >= 0 && battery.soc <= 100 && Math.abs(battery.power) <= MAX_W,
    "the inverter gives no more than it may":
      inverter.acPower >= 0 && inverter.acPower <= (RATED_W * inverter.limit) / 100 + 1e-9,
    "the inverter counts what it gives": isNear(
      inverter.yieldTotal - before.inverter.yieldTotal,
      (inverter.acPower * hours) / 1_000,
    ),
    "the tank holds what came in, less what was drawn": isNear(gas, (electrolyser.flow - electrolyser.drawn) * hours),
    "the tank keeps its limit": electrolyser.pressure <= electrolyser.pressureLimit + 0.05,
    "the charger counts what it gives": isNear(
      charger.totalEnergy - before.charger.totalEnergy,
      (charger.power * hours) / 1_000,
    ),
    "the charger keeps its limit": charger.power >= 0 && charger.power <= charger.limit * 230 * 3 + 1e-9,
    "a car charges only while it is there": charger.power === 0 || charger.visit !== 0,
  };
  return Object.keys(laws).find((law) => laws[law] !== true);
}

describe("over a year, in steps of two minutes, with somebody who plays with everything", () => {
  test("every law of energy and hydrogen holds at every step", () => {
    let plant = newPlant(SITE, START);
    const broken: string[] = [];
    for (let n = 0; n < 365 * 720; n++) {
      const before = meddle(plant, 91);
      plant = stepPlant(SITE, before, before.at + 2 * MINUTE);
      const law = brokenLaw(before, plant);
      if (law !== undefined && broken.length < 5) broken.push(`${new Date(plant.at).toISOString()} ${law}`);
    }
    expect(broken).toEqual([]);
  });
});

test("the same seed gives the same plant, another seed another one", () => {
  const later = (seed: number) => {
    const site = { ...SITE, seed };
    return runPlant(site, newPlant(site, START), { to: START + 2 * DAY_MS, stepMs: MINUTE });
  };
  expect(later(3)).toEqual(later(3));
  expect(later(4).meter.imported).not.toBe(later(3).meter.imported);
});

test("a plant that was stored as text goes on as if nothing had happened", () => {
  const now = runPlant(SITE, newPlant(SITE, START), { to: START + DAY_MS / 2, stepMs: MINUTE });
  const { weather, grid, loads, ...memory } = now;
  const stored = JSON.parse(JSON.stringify(memory)) as PlantMemory;
  const to = now.at + DAY_MS;
  expect(runPlant(SITE, resumePlant(SITE, stored), { to, stepMs: MINUTE })).toEqual(
    runPlant(SITE, now, { to, stepMs: MINUTE }),
  );
});

test("resuming at the same moment changes no counter and no power", () => {
  const now = runPlant(SITE, newPlant(SITE, START), { to: START + 9.5 * 3_600_000, stepMs: MINUTE });
  const again = resumePlant(SITE, now);
  expect(again.meter.imported).toBe(now.meter.imported);
  expect(again.inverter).toEqual(now.inverter);
  expect(again.battery.power).toBe(now.battery.power);
  expect(again.charger).toEqual(now.charger);
});

/** A whole year in steps of ten minutes. */
function year(): readonly Plant[] {
  const plants = [newPlant(SITE, START)];
  for (let n = 1; n < 365 * 144; n++) plants.push(stepPlant(SITE, plants[n - 1] as Plant, START + n * 10 * MINUTE));
  return plants;
}

test("a year looks like a year", () => {
  const plants = year();
  const all = (read: (plant: Plant) => number) => plants.map(read);
  const month = (n: number) => plants.filter(({ at }) => new Date(at).getUTCMonth() === n);
  const mean = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;
  const summer = mean(month(6).map((plant) => plant.inverter.acPower));
  const winter = mean(month(11).map((plant) => plant.inverter.acPower));
  expect(summer / winter).toBeGreaterThan(1.3);
  expect(Math.max(...all((plant) => plant.weather.irradiance))).toBeLessThan(1_100);
  expect(mean(month(6).map((plant) => plant.weather.temperature))).toBeGreaterThan(
    mean(month(0).map((plant) => plant.weather.temperature)) + 8,
  );
  const nights = plants.filter(({ at }) => new Date(at + 3_600_000).getUTCHours() === 0);
  expect(nights.every((plant) => plant.inverter.acPower === 0)).toBe(true);
  const seen = (read: (plant: Plant) => string) => [...new Set(plants.map(read))].sort();
  expect(seen((plant) => plant.charger.status)).toEqual(["available", "charging", "finishing", "waiting_for_sun"]);
  expect(seen((plant) => plant.battery.status)).toEqual(["charging", "discharging", "reserve", "standby"]);
  expect(seen((plant) => plant.electrolyser.status)).toEqual(["idle", "steady", "warming_up"]);
  expect(seen((plant) => plant.weather.precipitation)).toContain("rain");
});

test("the cells have drifted apart eight days after the start, and balancing takes some minutes", () => {
  let plant = runPlant(SITE, newPlant(SITE, START), { to: START + 8 * DAY_MS, stepMs: MINUTE });
  expect(plant.battery.spread).toBeGreaterThan(80.5);
  expect(plant.battery.spread).toBeLessThan(80.6);
  plant = { ...plant, battery: { ...plant.battery, isBalancing: true } };
  plant = stepPlant(SITE, plant, plant.at + 1_000);
  expect(plant.battery.status).toBe("balancing");
  plant = runPlant(SITE, plant, { to: plant.at + 10 * MINUTE, stepMs: 1_000 });
  expect(plant.battery.isBalancing).toBe(false);
  expect(plant.battery.spread).toBeLessThan(16);
});
