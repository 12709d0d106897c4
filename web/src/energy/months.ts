// Months of a rate, as people choose them: from one month until another, which may be in the next year. Pure.

/** `kept`: months that are no such range stay as they are. */
export type Months = { readonly from: number; readonly to: number } | "kept";

const MONTHS = 12;
export const ALL_MONTHS = Array.from({ length: MONTHS }, (_, n) => n + 1);
export const WHOLE_YEAR = { from: 1, to: MONTHS } as const;

export function monthsOf(months: readonly number[] | undefined): Months {
  const all = new Set(months ?? ALL_MONTHS);
  if (all.size === MONTHS) return WHOLE_YEAR;
  const before = (month: number) => (month === 1 ? MONTHS : month - 1);
  const starts = [...all].filter((month) => !all.has(before(month)));
  const [from] = starts;
  if (from === undefined || starts.length > 1) return "kept";
  return { from, to: ((from + all.size - 2) % MONTHS) + 1 };
}

/** Undefined for the whole year. Months that mean the same as those that are known stay as they were written. */
export function readMonths(chosen: Months, known: readonly number[] | undefined): readonly number[] | undefined {
  if (chosen === "kept") return known;
  const { from, to } = chosen;
  const length = ((to - from + MONTHS) % MONTHS) + 1;
  const months = Array.from({ length }, (_, n) => ((from + n - 1) % MONTHS) + 1);
  const isSame =
    known !== undefined && new Set(known).size === length && months.every((month) => known.includes(month));
  if (isSame) return known;
  return length === MONTHS ? undefined : months;
}
