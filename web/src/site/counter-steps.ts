// Doubtful steps of counters and what people said about them, for the overview of a site. Pure.
import type { CorrectionKind, SiteEnergy } from "#client/resources.ts";

export type DoubtfulStep = SiteEnergy["doubtful"][number];
export type Correction = SiteEnergy["corrections"][number];
export type CounterSteps = Pick<SiteEnergy, "doubtful" | "doubtful_cut" | "corrections">;

export const KINDS: readonly CorrectionKind[] = ["counter_replaced", "value_wrong", "accept"];

/** kWh by which today's rise of a counter is corrected. */
export function adjustmentToday(
  corrections: readonly Correction[],
  {
    deviceId,
    attribute,
    dayStart,
  }: { readonly deviceId: string; readonly attribute: string; readonly dayStart: number },
): number {
  return corrections
    .filter((one) => one.device_id === deviceId && one.attribute === attribute && Date.parse(one.at) >= dayStart)
    .reduce((sum, { adjustment }) => sum + (adjustment ?? 0) / 1000, 0);
}

/** What the new counter showed, as it was typed. Undefined: nothing was. NaN: it is no reading of this counter. */
export function parseNewStart(text: string, { value }: Pick<DoubtfulStep, "value">): number | undefined {
  const typed = text.trim().replace(",", ".");
  if (typed === "") return undefined;
  const number = Number(typed);
  return number >= 0 && number <= value ? number : Number.NaN;
}
