// How a number of a device changes over time, by what it measures, its name, and the kind of device. Every model is a
// function of the moment alone: it keeps no state, so any moment can be computed, in any order.
import { areaUntil, type Moment, SHAPES, shapeAt, weatherOf } from "./day-shape.ts";
import {
  counter,
  dayShapeOf,
  FIRST_DAY,
  flow,
  nominalVoltage,
  PV_WORDS,
  ratedPower,
  STRONGEST,
  shaped,
  today,
} from "./flow-model.ts";
import type { Measured, NumberModel } from "./measured.ts";
import { noiseAt, shareAt } from "./noise.ts";
import type { Quantity } from "./quantity.ts";
import { hasWord } from "./words.ts";

const HOUR = 3_600_000;
const SETTINGS = "limit setpoint target rated nominal threshold reserve capacity setting configured";
const COUNTERS =
  "total count counter counters starts cycles throughput lifetime runtime uptime odometer errors packets imported exported produced consumed accumulated cumulative";
const TODAY = "today day daily session";

export function numberModel(measured: Measured): NumberModel {
  const { words, quantity } = measured;
  const isCounted = ["energy", "volume", "charge", "mass", "time", "length", "number"].includes(quantity);
  if (hasWord(words, SETTINGS)) return setting(usualOf(measured));
  if (["power", "current", "pressure", "flow"].includes(quantity) && hasWord(words, "max maximum available"))
    return setting(usualOf(measured));
  if (isCounted && hasWord(words, TODAY)) return today(measured);
  if (isCounted && hasWord(words, COUNTERS)) return counter(measured);
  return (MODELS[quantity] ?? unnamed)(measured);
}

const MODELS: Readonly<Partial<Record<Quantity, (measured: Measured) => NumberModel>>> = {
  energy: (measured) =>
    hasWord(measured.words, "stored remaining available content") ? level(measured, 6, 0.4) : counter(measured),
  power: flow,
  current: flow,
  flow,
  massFlow: flow,
  voltage,
  frequency: (measured) =>
    hasWord(measured.words, "speed rpm fan motor pump compressor")
      ? level(measured, 30, 0.1)
      : level(measured, 50, 0.0006),
  temperature,
  ratio,
  pressure: (measured) =>
    hasWord(measured.words, "air barometric atmospheric ambient")
      ? level(measured, 1.013, 0.008)
      : level(measured, hasWord(measured.words, "outlet tank hydrogen h2 storage") ? 22 : 3, 0.08),
  irradiance: (measured) => shaped(measured, { shape: SHAPES.sun, usual: 900, kind: "level" }),
  speed: (measured) => (hasWord(measured.words, "rain precipitation") ? rain(measured) : wind(measured)),
  angle,
};

function setting(value: number): NumberModel {
  return { at: () => value, scale: Math.max(value, 1), kind: "setting" };
}

/** Stays about a value: wanders slowly, trembles a little. */
function level({ seed }: Measured, usual: number, spread: number): NumberModel {
  const wide = Math.abs(usual) * spread;
  const at = ({ at: ms }: Moment) =>
    usual + wide * (0.75 * noiseAt(seed, ms / 900_000) + 0.25 * noiseAt(seed + 1, ms / 5_000));
  return { at, scale: Math.abs(usual) || 1, kind: "level" };
}

function usualOf(measured: Measured): number {
  return USUAL[measured.quantity]?.(measured) ?? 10 * (1 + Math.floor(shareAt(measured.seed, 1) * 10));
}

const USUAL: Readonly<Partial<Record<Quantity, (measured: Measured) => number>>> = {
  power: ({ words, category }) => ratedPower(words, category),
  current: () => 16,
  energy: ({ seed }) => 10 + 5 * Math.floor(shareAt(seed, 1) * 5),
  voltage: ({ words }) => nominalVoltage(words),
  frequency: () => 50,
  ratio: ({ words }) => (hasWord(words, "reserve min minimum") ? 10 : 100),
  temperature: ({ words }) => (hasWord(words, "room") ? 21 : 60),
  pressure: () => 30,
  time: ({ seed }) => 60 * (1 + Math.floor(shareAt(seed, 1) * 10)),
};

function voltage(measured: Measured): NumberModel {
  const { words, seed } = measured;
  const nominal = nominalVoltage(words);
  if (hasWord(words, PV_WORDS)) {
    // A string of modules has nearly its whole voltage from the first light on.
    const at = ({ at: ms, hour }: Moment) =>
      nominal * (1 - Math.exp(-12 * shapeAt(SHAPES.sun, hour))) * (1 + 0.01 * noiseAt(seed, ms / 30_000));
    return { at, scale: nominal, kind: "level" };
  }
  const shift = hasWord(words, "min minimum lowest") ? 0.994 : hasWord(words, "max maximum highest") ? 1.006 : 1;
  return level(measured, nominal * shift, 0.012);
}

function temperature(measured: Measured): NumberModel {
  const { words, seed, deviceSeed } = measured;
  const isOutside = hasWord(words, "air ambient outdoor outside external");
  const getsSun = hasWord(words, "module panel heatsink inverter pv");
  const usual = isOutside ? 12 : getsSun ? 24 : hasWord(words, "room indoor") ? 21 : usualTemperature(words);
  const swing = isOutside ? 5 : getsSun ? 22 : 1.5;
  const at = ({ at: ms, day, hour }: Moment) => {
    const warmth = Math.sin((Math.PI * (hour - 9)) / 12);
    const byDay = isOutside ? 3 * noiseAt(deviceSeed, day + hour / 24) : 0;
    const sun = getsSun ? shapeAt(SHAPES.sun, hour) * weatherOf(deviceSeed, day) : (1 + warmth) / 2;
    return usual + byDay + swing * sun + 0.4 * noiseAt(seed, ms / 600_000) + 0.05 * noiseAt(seed + 1, ms / 3_000);
  };
  return { at, scale: 100, kind: "level" };
}

function usualTemperature(words: readonly string[]): number {
  if (hasWord(words, "stack electrolyte")) return 55;
  if (hasWord(words, "battery cell cells bat")) return 24;
  if (hasWord(words, "boiler heating supply hot")) return 48;
  return hasWord(words, "freezer") ? -18 : 32;
}

function ratio(measured: Measured): NumberModel {
  const { words, seed, deviceSeed } = measured;
  const full = areaUntil(SHAPES.battery, 15);
  if (hasWord(words, "soc charge")) {
    const at = ({ at: ms, day, hour }: Moment) =>
      18 + (70 * weatherOf(deviceSeed, day) * areaUntil(SHAPES.battery, hour)) / (full * STRONGEST) + drift(seed, ms);
    return { at, scale: 100, kind: "level" };
  }
  if (hasWord(words, "soh health")) {
    return { at: ({ day }) => Math.max(99.5 - (day - FIRST_DAY) / 600, 60), scale: 100, kind: "level" };
  }
  if (hasWord(words, "humidity")) return { at: humidityOf(seed), scale: 100, kind: "level" };
  if (hasWord(words, "efficiency")) return level(measured, 95, 0.02);
  if (hasWord(words, "level fill")) {
    return { at: ({ at: ms }) => 60 + 30 * noiseAt(seed, ms / (8 * HOUR)), scale: 100, kind: "level" };
  }
  return shaped(measured, { shape: dayShapeOf(measured), usual: 96, kind: "flow" });
}

const drift = (seed: number, ms: number) => 2 * noiseAt(seed, ms / 1_200_000);

function humidityOf(seed: number): NumberModel["at"] {
  return ({ at: ms, hour }) =>
    62 - 14 * Math.sin((Math.PI * (hour - 9)) / 12) + 8 * noiseAt(seed, ms / (3 * HOUR)) + drift(seed + 1, ms) / 4;
}

function wind({ words, seed, deviceSeed }: Measured): NumberModel {
  const gust = hasWord(words, "gust") ? 1.5 : 1;
  const at = ({ at: ms }: Moment) => {
    const strength = 5 + 3.5 * noiseAt(deviceSeed, ms / (2 * HOUR));
    return gust * Math.max(0, strength + 0.8 * noiseAt(seed, ms / 20_000) + 0.3 * noiseAt(seed + 1, ms / 2_000));
  };
  return { at, scale: 10, kind: "level" };
}

/** In m/s, as the unit says: a strong rain is some millimetres an hour. Mostly there is none. */
function rain({ deviceSeed }: Measured): NumberModel {
  const strong = 0.006 / 3_600;
  const at = ({ at: ms }: Moment) => Math.max(0, noiseAt(deviceSeed, ms / (3 * HOUR)) - 0.6) * 2.5 * strong;
  return { at, scale: strong, kind: "level" };
}

function angle({ words, seed }: Measured): NumberModel {
  if (hasWord(words, "latitude lat")) return { at: () => 52.52, scale: 1e4, kind: "setting" };
  if (hasWord(words, "longitude lon lng")) return { at: () => 13.405, scale: 1e4, kind: "setting" };
  if (hasWord(words, "tilt slope")) return setting(30);
  const at = ({ at: ms }: Moment) => {
    const turned = 240 + 110 * noiseAt(seed, ms / (4 * HOUR)) + 9 * noiseAt(seed + 1, ms / 15_000);
    return ((turned % 360) + 360) % 360;
  };
  return { at, scale: 360, kind: "level" };
}

function unnamed(measured: Measured): NumberModel {
  const { words, quantity, seed } = measured;
  if (hasWord(words, "factor")) return level(measured, 0.97, 0.02);
  if (hasWord(words, "uv")) return shaped(measured, { shape: SHAPES.sun, usual: 7, kind: "level" });
  if (hasWord(words, "cost price")) return today(measured);
  if (hasWord(words, "year until")) return setting(2028);
  if (hasWord(words, "rssi signal dbm")) return level(measured, -61, 0.08);
  if (quantity === "time") return level(measured, 30, 0.3);
  return level(measured, 10 * (1 + Math.floor(shareAt(seed, 2) * 9)), 0.15);
}
