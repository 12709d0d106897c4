// What a value was over a time. A value holds until the next one, and not longer than it is fresh: of the time after that nobody knows.
import type { RuleSample } from "./rule-world.ts";

export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** How long a value is fresh. */
  readonly holdMs: number;
}

/** Sum of value times milliseconds, and the milliseconds that are known. */
export function areaOf(samples: readonly RuleSample[], { from, to, holdMs }: Stretch) {
  let [area, knownMs] = [0, 0];
  samples.forEach(({ at, value }, index) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return;
    const end = Math.min(samples[index + 1]?.at ?? to, at + holdMs, to);
    const ms = end - Math.max(at, from);
    if (ms <= 0) return;
    area += value * ms;
    knownMs += ms;
  });
  return { area, knownMs };
}

/** Undefined: less than half of the time is known. */
export function averageOf(samples: readonly RuleSample[], stretch: Stretch): number | undefined {
  const { area, knownMs } = areaOf(samples, stretch);
  return knownMs > 0 && knownMs * 2 >= stretch.to - stretch.from ? area / knownMs : undefined;
}

/** From the value that held at the beginning to the last one. Undefined: nobody knows what it was then. */
export function changeOf(samples: readonly RuleSample[], { from, holdMs }: Stretch): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (typeof first?.value !== "number" || typeof last?.value !== "number") return undefined;
  return Math.abs(first.at - from) <= holdMs ? last.value - first.value : undefined;
}

/** The last minute of a window is not shared out any finer: a device needs time to follow. */
const LEAST_LEFT_MS = 60_000;

export interface Window {
  readonly now: number;
  readonly everyMs: number;
  readonly limit: number;
  readonly holdMs: number;
}

/** Time of which nothing is known counts as if the limit had been used in it. */
export function budgetOf(samples: readonly RuleSample[], { now, everyMs, limit, holdMs }: Window): number {
  const begin = windowBegin(now, everyMs);
  const { area, knownMs } = areaOf(samples, { from: begin, to: now, holdMs });
  const used = area + limit * (now - begin - knownMs);
  const leftMs = Math.max(begin + everyMs - now, Math.min(LEAST_LEFT_MS, everyMs / 2));
  return (limit * everyMs - used) / leftMs;
}

/** Windows begin at whole multiples since 1970, as those of meters do. */
export const windowBegin = (now: number, everyMs: number): number => now - (now % everyMs);
