// Energy by quarters of an hour, in whole milliwatt-hours: sums of whole numbers are the same however they are grouped, so
// hours, days, months and the whole agree to the last digit. Half a milliwatt-hour is less than what any meter shows.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import type { Period } from "#core/energy/parse-period.ts";

/** Starts rise. A quarter that begins before a period counts as its first one. */
export interface QuarterCells {
  readonly starts: Float64Array;
  readonly amounts: Float64Array;
}

export const NO_CELLS: QuarterCells = { starts: new Float64Array(0), amounts: new Float64Array(0) };

/** The sums of several devices, quarter by quarter. */
export function mergeCells(all: readonly QuarterCells[]): QuarterCells {
  const [only = NO_CELLS] = all;
  if (all.length <= 1) return only;
  const sums = new Map<number, number>();
  for (const { starts, amounts } of all) {
    for (const [n, start] of starts.entries()) sums.set(start, (sums.get(start) ?? 0) + (amounts[n] ?? 0));
  }
  const starts = Float64Array.from(sums.keys()).sort();
  return { starts, amounts: starts.map((start) => sums.get(start) ?? 0) };
}

export function wholeMilliwattHours(wattHours: number): number {
  // Never minus zero.
  return Math.round(wattHours * 1_000) + 0;
}

/** The sum of each step. Undefined where there is no cell. Steps follow each other. */
export function sumBySteps(cells: QuarterCells, steps: readonly Period[]): readonly (number | undefined)[] {
  const { starts, amounts } = cells;
  let first = 0;
  return steps.map(({ to }, n) => {
    const isLast = n === steps.length - 1;
    let [at, sum] = [first, 0];
    while (at < starts.length && (isLast || (starts[at] ?? 0) < to)) sum += amounts[at++] ?? 0;
    const isKnown = at > first;
    first = at;
    return isKnown ? sum : undefined;
  });
}

/** In each step, the hours that have a value and all hours that it touches. Hours are given by their start, and rise. */
export function hoursBySteps(
  hourStarts: Float64Array,
  steps: readonly Period[],
  hourMs: number,
): readonly { readonly known: number; readonly all: number }[] {
  let first = 0;
  return steps.map(({ from, to }) => {
    while (first < hourStarts.length && (hourStarts[first] ?? 0) + hourMs <= from) first++;
    let end = first;
    while (end < hourStarts.length && (hourStarts[end] ?? 0) < to) end++;
    return { known: end - first, all: Math.ceil(to / hourMs) - Math.floor(from / hourMs) };
  });
}
