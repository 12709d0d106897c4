// Compares the wall clock with a monotonic one, and notices when somebody sets it.
//
// Nobody here can know which reading is right: a wrong clock may have been corrected, or the other way round. So for a
// day after a step both count. Code that must not refuse in error uses the latest possible time; code that must not
// delete in error uses the earliest.
import { type Instant, instant } from "./instant.ts";

interface ClockStep {
  readonly from: Instant;
  readonly to: Instant;
}

export interface ClockWatch {
  /** Looks at both clocks. Gives the step when the wall clock was set since the last look. */
  check(): ClockStep | undefined;
  /** The latest time that it may be: after the clock was set back, what it would say without that. */
  latest(): Instant;
  /** The earliest time that it may be: after the clock was set forward, what it would say without that. */
  earliest(): Instant;
  /** Whether it was set within the last day. */
  isInDoubt(): boolean;
  /** Calls back after each step. */
  listen(onStep: (step: ClockStep) => void): void;
}

interface ClockWatchNeeds {
  readonly now: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  /** When the data was last written to, by the clock of then. */
  readonly lastUse?: number | undefined;
  readonly onStep: (step: ClockStep) => void;
}

/** Less is what time services do every day, and what a busy machine looks like. */
const LEAST_STEP_MS = 60_000;
const DOUBT_MS = 24 * 3_600_000;
/** A clock that is set all the time must not fill the memory. */
const MOST_FORMER = 16;

export function createClockWatch({ now, elapsed, lastUse, onStep }: ClockWatchNeeds): ClockWatch {
  /** How far the wall clock is ahead of the other one. */
  let offset = now() - elapsed();
  const listeners = [onStep];
  const former: { readonly offset: number; readonly until: number }[] = [];

  function noteStep(before: number): ClockStep {
    const at = elapsed();
    former.push({ offset: before, until: at + DOUBT_MS });
    if (former.length > MOST_FORMER) former.shift();
    const step = { from: instant(before + at), to: instant(offset + at) };
    for (const listener of listeners) listener(step);
    return step;
  }

  function check(): ClockStep | undefined {
    const before = offset;
    offset = now() - elapsed();
    return Math.abs(offset - before) < LEAST_STEP_MS ? undefined : noteStep(before);
  }

  function offsets(): readonly number[] {
    check();
    const at = elapsed();
    while ((former[0]?.until ?? at + 1) <= at) former.shift();
    return [offset, ...former.map((one) => one.offset)];
  }

  // The clock was set back while nobody looked.
  if (lastUse !== undefined && lastUse - now() >= LEAST_STEP_MS) noteStep(lastUse - elapsed());
  return {
    check,
    latest: () => instant(Math.max(...offsets()) + elapsed()),
    earliest: () => instant(Math.min(...offsets()) + elapsed()),
    isInDoubt: () => offsets().length > 1,
    listen: (listener) => void listeners.push(listener),
  };
}
