import { parseDuration } from "#core/time/duration.ts";
import { UsageError } from "./usage-error.ts";

/** The longest wait a timer can count, in milliseconds: about 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Milliseconds. */
export function parseTimeout(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined || duration <= 0n)
    throw new UsageError(`--timeout must be a duration such as 30s, not "${text}"`);
  return Math.min(Number(duration / 1_000_000n), LONGEST_TIMER);
}
