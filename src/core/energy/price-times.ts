import { QUARTER_MS } from "#core/time/hour.ts";

const YEAR_MS = 366 * 86_400_000;
const MOST_PAST_MS = 10 * YEAR_MS;
const MOST_AHEAD_MS = 2 * YEAR_MS;

/** Why no price may begin then. */
export function priceTimeProblem(from: number, now: number): string | undefined {
  if (from % QUARTER_MS !== 0) return "is not on a quarter of an hour";
  if (from >= now - MOST_PAST_MS && from <= now + MOST_AHEAD_MS) return undefined;
  return "must be at most 10 years ago and at most 2 years ahead";
}
