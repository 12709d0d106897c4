// The costs of a span of time: energy, base and peak charges together. Amounts are millionths.
import { baseOf, type PeakCharge, peaksOf } from "./energy-charges.ts";
import { costsOf, type EnergyCosts, type Priced, type RateCosts } from "./energy-costs.ts";
import type { Period } from "./parse-period.ts";
import type { QuarterCells } from "./quarter-cells.ts";

export interface SiteCosts extends Omit<EnergyCosts, "net"> {
  /** Import less export: the sum of the steps. */
  readonly netEnergy: number | undefined;
  readonly base: number | undefined;
  readonly peak: number | undefined;
  /** Everything together, as far as it is known. */
  readonly net: number | undefined;
  readonly byRate: readonly RateCosts[];
  readonly peaks: readonly PeakCharge[];
}

interface Asked extends Priced {
  readonly range: Period;
  /** Follow each other and make up the range. */
  readonly steps: readonly Period[];
  /** Mean power from the grid by quarter of an hour, W. */
  readonly powers: QuarterCells;
  readonly now: number;
}

export function siteCosts(asked: Asked): { readonly whole: SiteCosts; readonly steps: readonly EnergyCosts[] } {
  const { range, steps, powers, now } = asked;
  const { whole, byRate, ...parts } = costsOf(asked, steps);
  const base = baseOf(asked, range);
  const { charges, isPartial } = peaksOf(asked, { quarters: powers, range, now });
  const known = charges.filter(({ amount }) => amount !== undefined);
  const isUnknown = known.length === 0 && (isPartial || charges.length > 0);
  const peak = isUnknown ? undefined : known.reduce((sum, { amount = 0 }) => sum + amount, 0);
  const { net: netEnergy, ...energy } = whole;
  return {
    whole: {
      ...energy,
      netEnergy,
      base,
      peak,
      net: netEnergy === undefined ? undefined : netEnergy + (base ?? 0) + (peak ?? 0),
      byRate,
      peaks: charges,
    },
    steps: parts.steps,
  };
}
