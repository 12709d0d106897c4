// Powers, currents and flows by the shape of a day, and the counters that add them up.
import type { Category } from "#core/blueprint/vocabulary.ts";
import { areaSince, areaUntil, type DayShape, type Moment, SHAPES, shapeAt, sideOf, weatherOf } from "./day-shape.ts";
import type { Measured, NumberModel } from "./measured.ts";
import { noiseAt } from "./noise.ts";
import { hasWord } from "./words.ts";

/** Weather makes the strongest day 1.6 times the usual one; so that it is the rated value, the usual one is less. */
export const STRONGEST = 1.6;
/** The first day of counters: a Monday in 2024. Before it they stand at zero. */
export const FIRST_DAY = 19_723;

/** Whose power it is decides how its day goes. */
export function dayShapeOf({ words, category }: Measured): DayShape {
  const shape = SHAPES[roleOf(words, category)];
  if (shape !== SHAPES.grid && shape !== SHAPES.battery) return shape;
  // A battery gives where its power is positive, the grid where it is negative.
  const giving = shape === SHAPES.battery ? 1 : -1;
  if (hasWord(words, "export exported feed discharge discharging discharged given")) return sideOf(shape, giving);
  const taking = giving === 1 ? -1 : 1;
  return hasWord(words, "import imported charge charging charged taken") ? sideOf(shape, taking) : shape;
}

const BY_CATEGORY: Readonly<Partial<Record<Category, keyof typeof SHAPES>>> = {
  "solar-generators": "sun",
  "battery-systems": "battery",
  "power-meters": "grid",
  "electric-vehicles": "vehicle",
  electrolysers: "plant",
  "fuel-cells": "vehicle",
  "wind-generators": "always",
  networking: "always",
  control: "always",
};

/** When a device of this kind has something to do; undefined: always. */
export function workOf(category: Category | undefined, given?: Role): DayShape | undefined {
  const role = given ?? (category && BY_CATEGORY[category]);
  return role === undefined || role === "always" || role === "grid" ? undefined : SHAPES[role];
}

export const PV_WORDS = "pv pv1 pv2 pv3 pv4 solar sun mppt yield string";

export type Role = keyof typeof SHAPES;

export function roleOf(words: readonly string[], category: Category | undefined): Role {
  return explicitRoleOf(words) ?? (category && BY_CATEGORY[category]) ?? "load";
}

/** What the words say, whatever the device is. */
export function explicitRoleOf(words: readonly string[]): Role | undefined {
  if (hasWord(words, PV_WORDS)) return "sun";
  if (hasWord(words, "battery bat ess")) return "battery";
  if (hasWord(words, "grid net mains utility import export feed")) return "grid";
  if (hasWord(words, "load loads consumption house home consumed")) return "load";
  return hasWord(words, "ev vehicle car session plug cable") ? "vehicle" : undefined;
}

export function ratedPower(words: readonly string[], category: Category | undefined): number {
  const rated = { sun: 10_000, load: 4_000, grid: 8_000, battery: 5_000, vehicle: 11_000, plant: 2_400, always: 1_500 };
  const shared = hasWord(words, "l1 l2 l3 phase") ? 3 : 1;
  return (rated[roleOf(words, category)] * (hasWord(words, "reactive") ? 0.1 : 1)) / shared;
}

interface Shaped {
  readonly shape: DayShape;
  /** At the top of the strongest day. */
  readonly usual: number;
  readonly kind: "flow" | "level";
}

export function shaped({ seed, deviceSeed }: Measured, { shape, usual, kind }: Shaped): NumberModel {
  const at = ({ at: ms, day, hour }: Moment) => {
    const steady = shapeAt(shape, hour) * (weatherOf(deviceSeed, day) / STRONGEST) * usual;
    // Clouds, switches and the like: never beyond zero, and nothing where there is nothing.
    return steady * (1 + 0.06 * noiseAt(deviceSeed, ms / 120_000) + 0.01 * noiseAt(seed, ms / 2_000));
  };
  return { at, scale: usual, kind };
}

export function flow(measured: Measured): NumberModel {
  const { words, quantity, category } = measured;
  const isPower = quantity === "power";
  const power = ratedPower(words, category);
  const usual = isPower ? power : quantity === "current" ? power / nominalVoltage(words) : 2;
  return shaped(measured, { shape: dayShapeOf(measured), usual, kind: "flow" });
}

/** What a counter gains in an hour at full power. */
function gainOf({ quantity, words, category }: Measured): number {
  if (quantity === "energy") return ratedPower(words, category) / 1000;
  if (quantity === "charge") return ratedPower(words, category) / nominalVoltage(words);
  if (quantity === "time") return 3_600;
  if (quantity !== "number") return 0.5;
  if (hasWord(words, "cost price")) return 3;
  return hasWord(words, "cycles cycle starts start errors error") ? 0.05 : 20;
}

function counted(measured: Measured): DayShape {
  const { quantity, words } = measured;
  if (quantity === "time") return hasWord(words, "uptime") ? { base: 1, bumps: [] } : { base: 0.4, bumps: [] };
  const shape = dayShapeOf(measured);
  // What goes both ways counts what comes in, save where both ways wear it alike.
  if (hasWord(words, "throughput cycles")) {
    return { base: shape.base, bumps: shape.bumps.map(([middle, half, height]) => [middle, half, Math.abs(height)]) };
  }
  return sideOf(shape, shape === SHAPES.battery ? -1 : 1);
}

export function counter(measured: Measured): NumberModel {
  const { deviceSeed } = measured;
  const [shape, gain] = [counted(measured), gainOf(measured)];
  const at = (now: Moment) =>
    now.day < FIRST_DAY ? 0 : (areaSince(shape, deviceSeed, { firstDay: FIRST_DAY, now }) / STRONGEST) * gain;
  return { at, scale: gain, kind: "counter" };
}

export function today(measured: Measured): NumberModel {
  const { deviceSeed } = measured;
  const [shape, gain] = [counted(measured), gainOf(measured)];
  const at = ({ day, hour }: Moment) => (areaUntil(shape, hour) * weatherOf(deviceSeed, day) * gain) / STRONGEST;
  return { at, scale: gain, kind: "counter" };
}

export function nominalVoltage(words: readonly string[]): number {
  if (hasWord(words, "cell cells")) return 3.3;
  if (hasWord(words, PV_WORDS)) return 620;
  if (hasWord(words, "battery bat dc ess")) return 51.2;
  if (hasWord(words, "stack")) return 48;
  if (hasWord(words, "l12 l23 l31 line")) return 400;
  if (hasWord(words, "aux supply sensor auxiliary")) return 24;
  return 230;
}
