// Energy by quarters of an hour, in whole milliwatt-hours: sums of whole numbers are the same however they are grouped, so
// hours, days, months and the whole agree to the last digit. Half a milliwatt-hour is less than what any meter shows.
import type { Period } from "#core/energy/parse-period.ts";
import { itemAt } from "#core/item-at.ts";

/** Starts rise. A quarter that begins before a period counts as its first one. */
export interface QuarterCells {
  readonly starts: readonly number[];
  readonly amounts: readonly number[];
}

export const NO_CELLS: QuarterCells = { starts: [], amounts: [] };

export function wholeMilliwattHours(wattHours: number): number {
  // Never minus zero.
  return Math.round(wattHours * 1_000) + 0;
}

/** The sum of each step. Undefined where there is no cell. Steps follow each other. */
export function sumBySteps(cells: QuarterCells, steps: readonly Period[]): readonly (number | undefined)[] {
  const sums: (number | undefined)[] = steps.map(() => undefined);
  let index = 0;
  for (const [n, start] of cells.starts.entries()) {
    while (index < steps.length - 1 && start >= itemAt(steps, index).to) index++;
    const sum = sums[index];
    const amount = itemAt(cells.amounts, n);
    sums[index] = sum === undefined ? amount : sum + amount;
  }
  return sums;
}

/** In each step, the hours that have a value and all hours that it touches. Hours are given by their start, and rise. */
export function hoursBySteps(
  hourStarts: readonly number[],
  steps: readonly Period[],
  hourMs: number,
): readonly { readonly known: number; readonly all: number }[] {
  let first = 0;
  return steps.map(({ from, to }) => {
    while (first < hourStarts.length && itemAt(hourStarts, first) + hourMs <= from) first++;
    let end = first;
    while (end < hourStarts.length && itemAt(hourStarts, end) < to) end++;
    return { known: end - first, all: Math.ceil(to / hourMs) - Math.floor(from / hourMs) };
  });
}
