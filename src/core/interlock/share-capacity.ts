// Several loads share what connections and circuits can carry. Pure: what is left goes to those who want it, in an order or in
// proportion, and nobody gets more than every line above it can carry.
import { itemAt } from "#core/item-at.ts";
import type { Sharing } from "./interlock.ts";

export interface Demand {
  /** What it wants or takes; never below 0. */
  readonly wants: number;
  /** It takes so much whatever it is told. */
  readonly floor: number;
  /** With less than this it gets nothing. */
  readonly least: number;
  /** The lines that it loads, by their place in `capacities`. */
  readonly lines: readonly number[];
}

/**
 * The most that each load may take. The sum of what they want, cut to these limits, is within all capacities, unless the floors
 * alone exceed them.
 */
export function shareCapacity(capacities: readonly number[], demands: readonly Demand[], sharing: Sharing): number[] {
  const given = sharing === "order" ? inOrder(capacities, demands) : inProportion(capacities, demands);
  const left = leftOf(capacities, demands, given);
  return demands.map(({ lines, floor, least }, n) => {
    const most = Math.max((given[n] ?? floor) + Math.max(roomOf(left, lines), 0), floor);
    return most < least ? floor : most;
  });
}

const roomOf = (left: readonly number[], lines: readonly number[]): number =>
  Math.min(Infinity, ...lines.map((line) => left[line] ?? Infinity));

function leftOf(capacities: readonly number[], demands: readonly Demand[], given: readonly number[]): number[] {
  const left = [...capacities];
  for (const [n, { lines }] of demands.entries()) for (const line of lines) take(left, line, itemAt(given, n));
  return left;
}

function take(left: number[], line: number, amount: number): void {
  const before = left[line];
  if (before !== undefined) left[line] = before - amount;
}

function inOrder(capacities: readonly number[], demands: readonly Demand[]): number[] {
  const given = demands.map(({ floor }) => floor);
  const left = leftOf(capacities, demands, given);
  for (const [n, { wants, floor, least, lines }] of demands.entries()) {
    const room = floor + Math.max(roomOf(left, lines), 0);
    const gets = Math.max(Math.min(wants, room), floor);
    given[n] = gets < least ? floor : gets;
    for (const line of lines) take(left, line, (given[n] ?? floor) - floor);
  }
  return given;
}

/** All get the same part of what they want, until a line is full; those who do not depend on it get more. */
function inProportion(capacities: readonly number[], demands: readonly Demand[]): number[] {
  const isOut = demands.map(() => false);
  for (;;) {
    const given = filled(capacities, demands, isOut);
    // Who would get less than is any use to it gives way, the one with the smallest part first.
    let weakest = -1;
    for (const [n, { wants, least }] of demands.entries()) {
      const gets = itemAt(given, n);
      if (isOut[n] || gets >= least || wants === 0) continue;
      if (weakest < 0 || gets < itemAt(given, weakest)) weakest = n;
    }
    if (weakest < 0) return given;
    isOut[weakest] = true;
  }
}

function filled(capacities: readonly number[], demands: readonly Demand[], isOut: readonly boolean[]): number[] {
  const given = demands.map(({ floor }) => floor);
  const left = leftOf(capacities, demands, given);
  const more = demands.map(({ wants, floor }, n) => (isOut[n] ? 0 : Math.max(wants - floor, 0)));
  const isOpen = more.map((amount) => amount > 0);
  let part = 0;
  while (isOpen.includes(true)) {
    const { step, line: tightest } = nextStep(left, demands, { more, isOpen, rest: 1 - part });
    part += step;
    for (const [n, { lines }] of demands.entries()) {
      if (!isOpen[n]) continue;
      given[n] = itemAt(given, n) + step * itemAt(more, n);
      for (const line of lines) take(left, line, step * itemAt(more, n));
      // The tightest line is full now, whatever rounding says: so each round ends something.
      if (tightest === undefined || lines.includes(tightest)) isOpen[n] = false;
    }
  }
  return given;
}

/** How far all can go on together, and the line that is full then. Without one, all have what they want. */
function nextStep(
  left: readonly number[],
  demands: readonly Demand[],
  { more, isOpen, rest }: { more: readonly number[]; isOpen: readonly boolean[]; rest: number },
): { readonly step: number; readonly line: number | undefined } {
  const loads = new Map<number, number>();
  for (const [n, { lines }] of demands.entries()) {
    if (isOpen[n]) for (const line of lines) loads.set(line, (loads.get(line) ?? 0) + itemAt(more, n));
  }
  let found: { step: number; line: number | undefined } = { step: rest, line: undefined };
  for (const [line, load] of loads) {
    const step = Math.max(itemAt(left, line), 0) / load;
    if (step < found.step) found = { step, line };
  }
  return found;
}
