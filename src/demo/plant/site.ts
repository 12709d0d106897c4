import { between, chance } from "#demo/plant/noise.ts";

/** Where the plant stands. With the same seed the same weather, loads and cars come at the same times. */
export interface PlantSite {
  readonly seed: number;
  /** Degrees, north positive. */
  readonly latitude: number;
  /** Degrees, east positive. The plant lives by the sun, so this also is its time zone. */
  readonly longitude: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Days since 1970 by the sun's clock, with a fraction: .5 is noon. */
export function localDays(site: PlantSite, at: number): number {
  return at / DAY_MS + site.longitude / 360;
}

/** 0 is Sunday. */
export function weekday(day: number): number {
  return (Math.floor(day) + 4) % 7;
}

/** The start of a day by the sun's clock, in Unix milliseconds. */
export function dayStart(site: PlantSite, day: number): number {
  return (day - site.longitude / 360) * DAY_MS;
}

/** Distinguishes one kind of chance from another. */
export function dice(site: PlantSite, kind: number, n: number): number {
  return chance(site.seed * 64 + kind, n);
}

export function diceBetween(site: PlantSite, { kind, n, low, high }: Throw): number {
  return between(low, high, dice(site, kind, n));
}

interface Throw {
  readonly kind: number;
  readonly n: number;
  readonly low: number;
  readonly high: number;
}
