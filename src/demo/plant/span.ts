import { localDays, type PlantSite } from "#demo/plant/site.ts";

/** The stretch of time that one step covers. Powers are constant within it, so that energies add up exactly. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly hours: number;
  /** Whether midnight of the sun's clock lies in it. */
  readonly isNewDay: boolean;
  /** Where a value is that follows another one, with its time constant in hours. */
  follow(value: number, target: number, hours: number): number;
}

export function span(site: PlantSite, from: number, to: number): Span {
  const hours = (to - from) / 3_600_000;
  return {
    from,
    to,
    hours,
    isNewDay: Math.floor(localDays(site, from)) !== Math.floor(localDays(site, to)),
    follow: (value, target, constant) => target + (value - target) * Math.exp(-hours / constant),
  };
}
