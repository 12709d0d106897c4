import { statSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type ClockWatch, createClockWatch } from "#core/time/clock-watch.ts";
import { type Instant, instant, renderInstant } from "#core/time/instant.ts";
import type { After } from "#service/deadlines.ts";
import type { Troubles } from "#service/troubles.ts";

export interface Clocks {
  readonly now: () => Instant;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  readonly after: After;
}

export interface WatchedClocks extends Clocks {
  readonly clock: ClockWatch;
}

/** The real clocks. All other code takes them as arguments, so that tests can control them. */
export function createClocks(onError: (error: unknown) => void = rethrow): Clocks {
  return {
    now: () => instant(Date.now()),
    elapsed: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(() => {
        // An error thrown from a timer would end the process.
        try {
          callback();
        } catch (error) {
          onError(error);
        }
      }, ms);
      return () => clearTimeout(timer);
    },
  };
}

const WAS_SET = {
  part: "clock",
  message:
    "the clock of this machine was set; for a day times by the former one are accepted too, and nothing is deleted by the new one",
};

/** A clock that was set is a trouble of the gateway and of no device. */
export function watchClock(folder: string, troubles: Troubles, { now, elapsed }: Clocks): ClockWatch {
  const clock = createClockWatch({
    now,
    elapsed,
    lastUse: lastUseOf(folder),
    onStep: ({ from, to }) => {
      const [before, after] = [renderInstant(from), renderInstant(to)];
      troubles.report(WAS_SET, { from: before, to: after, place: `${before} to ${after}` });
    },
  });
  return {
    ...clock,
    check() {
      const step = clock.check();
      if (!clock.isInDoubt()) troubles.clear(WAS_SET.part);
      return step;
    },
  };
}

/** When the data was last written, by the clock at that time. */
function lastUseOf(folder: string): number | undefined {
  const times = ["records.db", "records.db-wal", "telemetry.db", "telemetry.db-wal"].map(
    (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const last = Math.max(...times);
  return last === 0 ? undefined : last;
}

function rethrow(error: unknown): never {
  throw error;
}
