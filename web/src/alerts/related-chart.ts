// Values around the start of an alert, as a line.
import type { Alert } from "#client/resources.ts";
import type { Grid } from "#web/data/history.ts";

const MINUTE = 60_000;
/** Values before the start: long enough to see what led to it. */
const BEFORE = 30 * MINUTE;
const AFTER = 30 * MINUTE;
const POINTS = 120;

/** From half an hour before the start to half an hour after it, or to now. */
export function rangeAround({ raised_at: raised }: Pick<Alert, "raised_at">, now: number): Grid {
  const start = Date.parse(raised);
  const bucketMs = (BEFORE + AFTER) / POINTS;
  const align = (at: number) => Math.floor(at / bucketMs) * bucketMs;
  const from = align(start - BEFORE);
  return { from, to: Math.max(align(Math.min(start + AFTER, now)), from + bucketMs), bucketMs };
}

type Line = {
  /** The path of an SVG; gaps are gaps. */
  readonly path: string;
  readonly low: number;
  readonly high: number;
};

/** Undefined when there is no value at all. */
export function drawLine(
  { times, values }: { readonly times: readonly number[]; readonly values: readonly (number | undefined)[] },
  { from, to, bucketMs }: Grid,
  { width, height }: { readonly width: number; readonly height: number },
): Line | undefined {
  const points = times.flatMap((at, index) => {
    const value = values[index];
    return value === undefined || !Number.isFinite(value) ? [] : [{ at, value }];
  });
  if (points.length === 0) return undefined;
  const low = Math.min(...points.map(({ value }) => value));
  const high = Math.max(...points.map(({ value }) => value));
  const x = (at: number) => round(((at - from) / (to - from)) * width);
  // A value that never changes is a line in the middle.
  const y = (value: number) =>
    round(high === low ? height / 2 : height - 4 - ((value - low) / (high - low)) * (height - 8));
  // Devices may send less often than a bucket: a line breaks only where several are missing.
  const path = points.map(({ at, value }, index) => {
    const before = points[index - 1];
    return `${before === undefined || at - before.at > 4 * bucketMs ? "M" : "L"}${x(at)} ${y(value)}`;
  });
  return { path: path.join(""), low, high };
}

const round = (value: number) => Math.round(value * 10) / 10;
