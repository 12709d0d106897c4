// Charges that do not depend on the energy: by the day, and by the highest power of a month or year. All in millionths.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { itemAt } from "#core/item-at.ts";
import { calendarGrid, localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { multiplyDivide } from "./money.ts";
import type { Period } from "./parse-period.ts";
import type { QuarterCells } from "./quarter-cells.ts";
import type { TariffVersion } from "./tariff.ts";
import type { VersionAt } from "./tariff-versions.ts";

interface Charged {
  readonly versionAt: VersionAt;
  readonly timezone: string;
}

/**
 * The base charges of the days that begin in the range. The days of a month, or year, add up to its charge. Undefined where
 * no day has a tariff.
 */
export function baseOf({ versionAt, timezone }: Charged, { from, to }: Period): number | undefined {
  const days = calendarGrid({ unit: "day", timezone });
  const offsetAt = localOffsets(timezone);
  let [sum, all, known] = [0, 0, 0];
  const first = days.bucketAt(from);
  for (let at = first.start < from ? first.end : first.start; at < to; at = days.bucketAt(at).end) {
    all++;
    const version = versionAt(at);
    if (version === undefined) continue;
    known++;
    sum += version.base === undefined ? 0 : chargeOfDay(version.base, at + offsetAt(at));
  }
  return all > 0 && known === 0 ? undefined : sum;
}

function chargeOfDay({ amount, per }: NonNullable<TariffVersion["base"]>, local: number): number {
  if (per === "day") return amount;
  const date = new Date(local);
  const year = date.getUTCFullYear();
  const month = per === "month" ? date.getUTCMonth() : 0;
  const start = new Date(0).setUTCFullYear(year, month, 1);
  const end = new Date(0).setUTCFullYear(year, month + (per === "month" ? 1 : 12), 1);
  const [day, days] = [Math.floor((local - start) / DAY_MS), (end - start) / DAY_MS];
  return multiplyDivide(amount, day + 1, days) - multiplyDivide(amount, day, days);
}

export interface PeakCharge extends Period {
  /** Watts. Undefined: not known. */
  readonly power: number | undefined;
  readonly at: Instant | undefined;
  readonly amount: number | undefined;
}

interface Peaks {
  /** Mean power from the grid by the start of the quarter of an hour, W. */
  readonly quarters: QuarterCells;
  readonly range: Period;
  readonly now: number;
}

/**
 * The charges of the months or years that the range contains, as far as they have passed, by the version in force at their
 * end. `isPartial`: a charge is left out because the range has only a part of its month or year.
 */
export function peaksOf(
  { versionAt, timezone }: Charged,
  { quarters, range, now }: Peaks,
): { readonly charges: readonly PeakCharge[]; readonly isPartial: boolean } {
  const charges: PeakCharge[] = [];
  let isPartial = false;
  for (const unit of ["month", "year"] as const) {
    const grid = calendarGrid({ unit, timezone });
    for (let { start, end } = grid.bucketAt(range.from); start < range.to; { start, end } = grid.bucketAt(end)) {
      const last = Math.min(end, range.to);
      const charge = versionAt(last - 1)?.peak;
      if (charge?.per !== unit) continue;
      if (start < range.from || (end > range.to && range.to < now)) isPartial = true;
      else {
        const span = { from: instant(start), to: instant(last) };
        charges.push({ ...span, ...highestOf(quarters, span, charge.amount) });
      }
    }
  }
  return { charges, isPartial };
}

function highestOf(
  { starts, amounts }: QuarterCells,
  { from, to }: Period,
  amount: number,
): Pick<PeakCharge, "power" | "at" | "amount"> {
  let highest = -1;
  let most = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < starts.length && (starts[n] ?? 0) < to; n++) {
    const power = amounts[n] ?? 0;
    if (power <= most || (starts[n] ?? 0) < from) continue;
    highest = n;
    most = power;
  }
  if (highest < 0) return { power: undefined, at: undefined, amount: undefined };
  // Whole watts; a site that only gives to the grid has no peak.
  const watts = Math.max(0, Math.round(most));
  return { power: most, at: instant(itemAt(starts, highest)), amount: multiplyDivide(watts, amount, 1_000) };
}
