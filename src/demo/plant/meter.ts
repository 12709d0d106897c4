import type { Span } from "#demo/plant/span.ts";

/** Primary and secondary current of the transformers that are really built in. */
export const BUILT_IN_RATIO = 200 / 5;

export interface Meter {
  /** W, positive while the site takes from the grid. */
  readonly power: number;
  /** kWh */
  readonly imported: number;
  readonly exported: number;
  /** In A, as configured in the meter. */
  readonly primary: number;
  readonly secondary: number;
  /** Unix milliseconds until which it blinks. */
  readonly blinksUntil: number;
}

export const NEW_METER: Meter = {
  power: 0,
  imported: 18_204,
  exported: 15_377,
  primary: 200,
  secondary: 5,
  blinksUntil: 0,
};

export function stepMeter(meter: Meter, power: number, span: Span): Meter {
  const energy = (power / 1_000) * span.hours;
  return {
    ...meter,
    power,
    imported: meter.imported + Math.max(0, energy),
    exported: meter.exported + Math.max(0, -energy),
  };
}
