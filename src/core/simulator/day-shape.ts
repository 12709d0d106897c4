// The shape of a day: a level with smooth bumps. Each shape has its exact integral, so energy counters agree with the
// powers that they count, at any moment and without stored state.
import { shareAt } from "./noise.ts";

export interface DayShape {
  readonly base: number;
  /** Middle and half width in hours, none beyond the day's ends, and height. */
  readonly bumps: readonly (readonly [middle: number, half: number, height: number])[];
}

/** A moment of simulated time, taken apart once for all attributes. */
export interface Moment {
  /** Unix milliseconds of the place's own clock. */
  readonly at: number;
  /** Days since 1970. */
  readonly day: number;
  /** Hours of the day, with fraction. */
  readonly hour: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export function momentOf(at: number, offsetMs: number): Moment {
  const local = at + offsetMs;
  const day = Math.floor(local / DAY);
  return { at: local, day, hour: (local - day * DAY) / HOUR };
}

export const SHAPES = {
  sun: { base: 0, bumps: [[12, 6.5, 1]] },
  load: {
    base: 0.25,
    bumps: [
      [7.5, 2.5, 0.35],
      [13, 2, 0.15],
      [19.5, 3.5, 0.7],
    ],
  },
  /** Taken from the grid is positive. Bumps of opposite sign do not overlap, so that each side has its own integral. */
  grid: {
    base: 0,
    bumps: [
      [3, 3, 0.15],
      [7.5, 1.5, 0.5],
      [12.5, 3.5, -0.8],
      [20, 4, 0.7],
    ],
  },
  /** Discharging is positive; a day brings back what it took. */
  battery: {
    base: 0,
    bumps: [
      [11.5, 3.5, -0.9],
      [19.5, 3.5, 0.9],
    ],
  },
  vehicle: { base: 0, bumps: [[19.5, 3.5, 1]] },
  plant: { base: 0, bumps: [[12.5, 5, 0.95]] },
  always: { base: 0.6, bumps: [] },
} as const satisfies Readonly<Record<string, DayShape>>;

/** Only what lies above zero, or below it and turned over. */
export function sideOf(shape: DayShape, sign: 1 | -1): DayShape {
  const bumps = shape.bumps.flatMap(([middle, half, height]) =>
    height * sign > 0 ? [[middle, half, height * sign] as const] : [],
  );
  return { base: Math.max(shape.base * sign, 0), bumps };
}

export function shapeAt({ base, bumps }: DayShape, hour: number): number {
  let value = base;
  for (const [middle, half, height] of bumps) {
    const away = (hour - middle) / half;
    if (away > -1 && away < 1) value += (height * (1 + Math.cos(Math.PI * away))) / 2;
  }
  return value;
}

/** The area below the shape from midnight until then, in hours. */
export function areaUntil({ base, bumps }: DayShape, hour: number): number {
  let area = base * hour;
  for (const [middle, half, height] of bumps) {
    const away = Math.min(Math.max((hour - middle) / half, -1), 1);
    area += (height * half * (away + 1 + Math.sin(Math.PI * away) / Math.PI)) / 2;
  }
  return area;
}

/** How much stronger or weaker than usual each day is. */
const WEATHER = 0.6;

/** From 0.4 to 1.6, 1 on the average. */
export function weatherOf(seed: number, day: number): number {
  return 1 + WEATHER * (shareAt(seed, day + 1) - shareAt(seed, day));
}

/** The area since the first day, each day's weather counted. It is exact without adding up the days, because of what one day has more the next has less. */
export function areaSince(shape: DayShape, seed: number, { firstDay, now }: { firstDay: number; now: Moment }): number {
  const whole = now.day - firstDay + WEATHER * (shareAt(seed, now.day) - shareAt(seed, firstDay));
  return whole * areaUntil(shape, 24) + weatherOf(seed, now.day) * areaUntil(shape, now.hour);
}
