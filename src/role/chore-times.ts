// Times and steps of work that deletes what is old.
import type { ClockWatch } from "#core/time/clock-watch.ts";
import { type Instant, instant } from "#core/time/instant.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

/** Deletion cannot be undone, so a clock that was set forward is not trusted at once. */
export function ago(clock: Pick<ClockWatch, "earliest">, ms: number): Instant {
  return instant(clock.earliest() - ms);
}

/** Each step is small, so that other writes get their turn in between. */
export async function untilDone(step: () => Promise<number>): Promise<void> {
  while ((await step()) > 0);
}
