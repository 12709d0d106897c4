import { drift } from "#demo/plant/noise.ts";
import { HOUR_MS, type PlantSite } from "#demo/plant/site.ts";

/** What the public grid is like, whatever the site does. */
export interface Grid {
  /** Hz */
  readonly frequency: number;
  /** V of L1, L2, L3. */
  readonly voltages: readonly [number, number, number];
}

export function gridAt(site: PlantSite, at: number): Grid {
  const hours = at / HOUR_MS;
  const noise = (kind: number, x: number) => drift(site.seed * 64 + kind, x) - 0.5;
  const shared = 231 + noise(16, hours * 2) * 6;
  return {
    frequency: 50 + noise(12, hours * 240) * 0.05 + noise(13, hours * 12) * 0.04,
    voltages: [
      shared + noise(17, hours * 60) * 3,
      shared + noise(18, hours * 60) * 3,
      shared + noise(19, hours * 60) * 3,
    ],
  };
}
