// Round values for the ticks of an axis.

/** Round values inside [low, high], about `count` of them. */
export function valueTicks(low: number, high: number, count: number): readonly number[] {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power * 10;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Counted in whole steps, so that no error adds up.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TIME_STEPS = [1_000, 5_000, 15_000, 30_000, MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR].concat(
  [3, 6, 12].map((hours) => hours * HOUR),
  [1, 2, 7, 14, 30, 91, 182, 365, 730, 1825, 3650].map((days) => days * DAY),
);

export type TimeTick = { readonly at: number; readonly label: string };

/** Round times of the wall clock inside [from, to], at most `count`. The offset is that of the zone, in minutes. */
export function timeTicks(from: number, to: number, count: number): readonly TimeTick[] {
  const step = TIME_STEPS.find((size) => (to - from) / size <= count) ?? to - from;
  const offset = new Date(from).getTimezoneOffset() * MINUTE;
  const ticks: TimeTick[] = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) {
    ticks.push({ at, label: timeLabel(at, step) });
  }
  return ticks;
}

const two = (value: number) => String(value).padStart(2, "0");

function timeLabel(at: number, step: number): string {
  const date = new Date(at);
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (step >= 91 * DAY) return `${date.getFullYear()}-${two(date.getMonth() + 1)}`;
  if (step >= DAY) return day;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step < MINUTE) return `${clock}:${two(date.getSeconds())}`;
  return date.getHours() === 0 && date.getMinutes() === 0 ? day : clock;
}

/** Short enough for an axis: as many places as the step between two ticks has. */
export function valueLabel(value: number, ticks: readonly number[]): string {
  const step = Math.abs((ticks.at(1) ?? value) - (ticks.at(0) ?? 0)) || Math.abs(value) || 1;
  if (Math.abs(value) >= 1e6 || (step < 1e-3 && value !== 0)) return Number(value.toPrecision(4)).toExponential();
  return value.toFixed(Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9))));
}
