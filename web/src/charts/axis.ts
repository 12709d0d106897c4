// Axes of small charts: round values, and hours by the clock of a site. Pure.
import { offsetAt } from "#web/i18n/format.ts";

export type Axis = {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
};

/** Distances between ticks, up to a power of ten. */
const STEPS = [1, 2, 2.5, 5, 10];
const HOUR = 3_600_000;

/** An axis from a round value to a round value, with zero on it unless `fitted`, and about as many steps as wanted. */
export function niceAxis(
  values: Iterable<number>,
  { steps = 4, fitted = false }: { readonly steps?: number; readonly fitted?: boolean } = {},
): Axis {
  let [least, greatest] = fitted ? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] : [0, 0];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  if (least > greatest) [least, greatest] = [0, 1];
  if (least === greatest) {
    // A constant value is a line in the middle.
    const room = Math.abs(least) * 0.05 || 1;
    [least, greatest] = fitted ? [least - room, greatest + room] : [Math.min(least, 0), Math.max(greatest, 0) || 1];
  }
  const step = niceStep((greatest - least) / steps);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.ceil(greatest / step - 1e-9);
  // Counting steps keeps 0.1 + 0.2 out of the ticks.
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { low: ticks[0] ?? 0, high: ticks.at(-1) ?? 1, ticks };
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * (STEPS.find((one) => one * power >= rough * (1 - 1e-9)) ?? 10);
}

/** So many digits after the point tell the ticks of an axis apart. */
export function digitsOf({ ticks }: Axis): number {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  // A step of 2.5 needs a digit more than one of 2.
  return Math.min(Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6 ? digits + 1 : digits, 8);
}

/** The moments within a range at which the clock of the zone shows a multiple of so many hours. */
export function hourTicks(range: { readonly from: number; readonly to: number }, zone: string, hours: number) {
  const step = hours * HOUR;
  const offset = offsetAt(range.from, zone);
  const ticks: number[] = [];
  for (let wall = Math.ceil((range.from + offset) / step) * step; ; wall += step) {
    // The clock may have been changed since the beginning.
    const at = wall - offsetAt(wall - offset, zone);
    if (at > range.to) return ticks;
    if (at >= range.from && at !== ticks.at(-1)) ticks.push(at);
  }
}
