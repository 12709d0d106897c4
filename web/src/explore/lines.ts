// Values as lines: where a line breaks, which of its parts are filled, and lines with other times on one axis of times.
import type { Points } from "./read-items.ts";

/** `null` is a gap; there is no other reason for a line to break. */
export type Line = { readonly times: readonly number[]; readonly values: readonly (number | null)[] };

/** Values farther apart than this many times the usual distance have a gap between them. Months differ by a tenth. */
const GAP = 1.75;

/** From one value to the next, usually: at least a bucket; more when the device sends less often than that. */
export function usualStep(times: readonly number[], bucketMs: number): number {
  let step = medianSteps.get(times);
  if (step === undefined) {
    step = medianStep(times);
    medianSteps.set(times, step);
  }
  return Math.max(bucketMs, step);
}

/** Asked for again with each move of the cursor; series often share their times. */
const medianSteps = new WeakMap<readonly number[], number>();
const greatestSteps = new WeakMap<readonly number[], number>();
/** So many steps show what is usual. */
const SAMPLE = 1_000;

function medianStep(times: readonly number[]): number {
  if (times.length < 3) return 0;
  const every = Math.max(1, Math.floor((times.length - 1) / SAMPLE));
  const steps: number[] = [];
  for (let index = 1; index < times.length; index += every) steps.push((times[index] ?? 0) - (times[index - 1] ?? 0));
  steps.sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? 0;
}

/** The longest distance between two values without a gap between them. */
export const longestStep = (times: readonly number[], bucketMs: number) => GAP * usualStep(times, bucketMs);

/** The values with a `null` at the beginning of each gap. A line without gaps is the values themselves. */
export function withGaps({ times, values }: Points<number>, bucketMs: number): Line {
  const longest = longestStep(times, bucketMs);
  if (!hasGap(times, longest)) return { times, values };
  const line = { times: [] as number[], values: [] as (number | null)[] };
  for (let index = 0; index < times.length; index += 1) {
    const at = times[index] ?? 0;
    const before = times[index - 1];
    if (before !== undefined && at - before > longest) {
      line.times.push(before + bucketMs / 2);
      line.values.push(null);
    }
    line.times.push(at);
    line.values.push(values[index] ?? null);
  }
  return line;
}

function hasGap(times: readonly number[], longest: number): boolean {
  let greatest = greatestSteps.get(times);
  if (greatest === undefined) {
    greatest = 0;
    for (let index = 1; index < times.length; index += 1)
      greatest = Math.max(greatest, (times[index] ?? 0) - (times[index - 1] ?? 0));
    greatestSteps.set(times, greatest);
  }
  return greatest > longest;
}

/** Parts a line into what was measured and what was carried on. Carried parts begin and end at a measured value. */
export function splitFilled(
  { times, values }: Points<number>,
  measured: ReadonlySet<number>,
): { readonly solid: Line; readonly dashed: Line } {
  const solid: (number | null)[] = [];
  const dashed: (number | null)[] = [];
  const isFilled = (index: number) => index >= 0 && index < times.length && !measured.has(times[index] ?? 0);
  for (const index of times.keys()) {
    const value = values[index] ?? null;
    const isCarried = isFilled(index);
    const isEdge = !isCarried && (isFilled(index - 1) || isFilled(index + 1));
    solid.push(isCarried ? null : value);
    dashed.push(isCarried || isEdge ? value : null);
  }
  return { solid: { times, values: solid }, dashed: { times, values: dashed } };
}

/**
 * Lines on one axis of times, for uPlot: `null` is a gap, and undefined means that the line has no point there and goes
 * on.
 */
export function alignLines(lines: readonly Line[]): {
  readonly times: readonly number[];
  readonly columns: readonly (readonly (number | null | undefined)[])[];
} {
  const axes = [...new Set(lines.map((line) => line.times))];
  const times = axes.length === 1 ? (axes[0] ?? []) : union(axes);
  return { times, columns: lines.map((line) => (line.times === times ? line.values : spread(line, times))) };
}

/** All times once, in order. */
function union(axes: readonly (readonly number[])[]): readonly number[] {
  const all = new Float64Array(axes.reduce((sum, axis) => sum + axis.length, 0));
  let offset = 0;
  for (const axis of axes) {
    all.set(axis, offset);
    offset += axis.length;
  }
  all.sort();
  const times: number[] = [];
  for (const at of all) if (at !== times[times.length - 1]) times.push(at);
  return times;
}

function spread(line: Line, times: readonly number[]): readonly (number | null | undefined)[] {
  const column: (number | null | undefined)[] = [];
  let next = 0;
  for (const at of times) {
    if (line.times[next] === at) {
      column.push(line.values[next]);
      next += 1;
    } else column.push(undefined);
  }
  return column;
}

/** The value at a moment: the nearest one, if it is not farther than a usual step. */
export function valueAt<Kind>({ times, values }: Points<Kind>, at: number, bucketMs: number): Kind | undefined {
  const after = firstFrom(times, at);
  const nearest =
    after > 0 && Math.abs((times[after - 1] ?? 0) - at) <= Math.abs((times[after] ?? Number.POSITIVE_INFINITY) - at)
      ? after - 1
      : after;
  const distance = Math.abs((times[nearest] ?? Number.POSITIVE_INFINITY) - at);
  return distance <= bucketMs ? values[nearest] : undefined;
}

/** The value that holds at a moment: the last one before it, unless a gap lies between. */
export function stateAt<Kind>({ times, values }: Points<Kind>, at: number, longest: number): Kind | undefined {
  const after = firstFrom(times, at + 1);
  const before = times[after - 1];
  return before !== undefined && at - before <= longest ? values[after - 1] : undefined;
}

/** The index of the first time that is not before `at`. */
function firstFrom(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
