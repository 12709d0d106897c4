// Decides which of two values is the latest. It goes by their times, as long as those can be right: a value that was
// stored while a clock was days ahead must not count as the current one until that day comes.
import { DAY_MS } from "#core/time/hour.ts";

/** So far apart the clocks of a device and a gateway may be, and both mean now. */
const SAME_MOMENT_MS = 60_000;

/** For two values whose order of arrival is unknown. No correct clock gives a time more than a day ahead. */
export function isLater(at: number, than: number, now: number): boolean {
  const limit = now + DAY_MS;
  return at > limit === than > limit ? at >= than : at <= limit;
}

/** For a value that has just arrived: if its own time is right, it also replaces a value from the future. */
export function takesPlace(arrived: number, stored: number, now: number): boolean {
  if (arrived >= stored || stored > now + DAY_MS) return true;
  return stored > now + SAME_MOMENT_MS && Math.abs(arrived - now) <= SAME_MOMENT_MS;
}
