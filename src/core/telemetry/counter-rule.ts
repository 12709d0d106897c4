// When a counter that falls has restarted, and when it rises by more than can be. docs/decisions/energy-counters.md has
// the reasons.
import { HOUR_MS } from "#core/time/hour.ts";

/** A fall that lasts this long is a new level to count from. Until then it may be a dip, after which values return. */
export const LASTS_MS = 3_600_000;
/** A counter that restarts begins at zero: the first value after it is at most this part of the one before. */
const NEAR_ZERO = 0.1;
/** Counters move in steps and messages come late: a rise may be what can be delivered in this time more. */
const SLACK_MS = 15 * 60_000;

export interface CounterRule {
  /** What the counter can rise by in an hour, in its own unit. Infinite: unknown. */
  readonly maxPerHour: number;
}

export const ANY_COUNTER: CounterRule = { maxPerHour: Number.POSITIVE_INFINITY };

/** The most that can have been counted in this time. */
export function mostWithin({ maxPerHour }: CounterRule, elapsedMs: number): number {
  return maxPerHour * ((elapsedMs + SLACK_MS) / HOUR_MS);
}

/** Whether a counter cannot have restarted between two of these values, whatever their order is. */
export function hasNoRestart(least: number, greatest: number): boolean {
  return least > greatest * NEAR_ZERO;
}

/** Whether a value that is lower than the one before, so much earlier, was counted from zero. */
export function isRestart(rule: CounterRule, [before, value]: readonly [number, number], elapsedMs: number): boolean {
  return value >= 0 && value <= before * NEAR_ZERO && value <= mostWithin(rule, elapsedMs);
}
