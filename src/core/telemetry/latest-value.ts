// Which of two values is the latest. By their times, as long as those can be right: a value that was stored while a clock was days ahead
// must not stand for now until that day comes.

const DAY_MS = 24 * 3_600_000;
/** So far apart the clocks of a device and a gateway may be, and both mean now. */
const SAME_MOMENT_MS = 60_000;

/** For two values of which nobody knows which came first. No right clock gives a time more than a day ahead. */
export function isLater(at: number, than: number, now: number): boolean {
  const limit = now + DAY_MS;
  return at > limit === than > limit ? at >= than : at <= limit;
}

/** For a value that has just come: it also takes the place of one that lies ahead of the clock, if it is of now itself. */
export function takesPlace(arrived: number, stored: number, now: number): boolean {
  if (arrived >= stored || stored > now + DAY_MS) return true;
  return stored > now + SAME_MOMENT_MS && Math.abs(arrived - now) <= SAME_MOMENT_MS;
}
