// Steps of a counter that a person should look at: a fall that is neither small nor near zero, and a rise of more than
// the device can deliver.
import { type CounterRule, isRestart, LASTS_MS, mostWithin } from "#core/telemetry/counter-rule.ts";

export interface CounterPoint {
  readonly at: number;
  readonly value: number;
}

export interface CounterStep {
  readonly kind: "fall" | "rise";
  readonly before: CounterPoint;
  readonly after: CounterPoint;
}

/** A smaller part of the counter is measurement. */
const SMALL_DIP = 0.01;

/** Points in the order of their times. */
export function doubtfulSteps(rule: CounterRule, points: readonly CounterPoint[]): readonly CounterStep[] {
  return points.flatMap((after, index): readonly CounterStep[] => {
    const before = points[index - 1];
    if (before === undefined) return [];
    const elapsed = after.at - before.at;
    if (after.value < before.value) {
      const isSmall = before.value - after.value <= Math.abs(before.value) * SMALL_DIP;
      return isSmall || isRestart(rule, [before.value, after.value], elapsed) ? [] : [{ kind: "fall", before, after }];
    }
    const most = mostWithin(rule, elapsed);
    if (after.value - before.value <= most) return [];
    // The return from a dip is none.
    let level = before.value;
    for (let n = index - 1; n >= 0 && (points[n]?.at ?? 0) > after.at - LASTS_MS; n--) {
      level = Math.max(level, points[n]?.value ?? level);
    }
    return after.value - level > most ? [{ kind: "rise", before, after }] : [];
  });
}

/** First, last, lowest and highest value of an hour. */
export interface CounterHour {
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Whether the counter falls in an hour, or from the last value before to it. Only then its points can have a doubtful fall.
 */
export function isFalling(hour: CounterHour, lastBefore: number | undefined): boolean {
  return hour.min < hour.first || hour.max > hour.last || (lastBefore !== undefined && hour.first < lastBefore);
}

/**
 * Whether points of a stretch in which the counter rose by so much can have a doubtful rise. A stretch of a quarter of an
 * hour that is nothing special never does, so few have to be looked at.
 */
export function isSteep(rule: CounterRule, rise: number): boolean {
  return rise > mostWithin(rule, 0);
}
