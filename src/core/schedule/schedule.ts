// Commands that run at a time or by a schedule: what is due, and what becomes of what was missed. Only decisions.

import type { Instant } from "#core/time/instant.ts";
import type { Weekday } from "#core/time/weekday.ts";

export const MISSED_RULES = ["skip", "run_late"] as const;
export type MissedRule = (typeof MISSED_RULES)[number];

/*
 * RAN      a bulk command began
 * SKIPPED  its time was missed, as the schedule says
 * REFUSED  it could not begin: no rights any more, or no device
 */
export const RUN_OUTCOMES = ["RAN", "SKIPPED", "REFUSED"] as const;
type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** What a schedule has besides a time or a cron expression. */
export interface ScheduleTiming {
  /** Whose sun and calendars count. */
  readonly siteId: string | undefined;
  /** Each day, or on these weekdays, at a time such as 07:30 or sunset-30m. */
  readonly daily: { readonly at: string; readonly days: readonly Weekday[] | undefined } | undefined;
  /** Calendars: it does not run while one of these is on. */
  readonly except: readonly string[];
  /** And if there are any, only while one of these is on. */
  readonly only: readonly string[];
}

export interface CommandSchedule {
  readonly id: string;
  readonly name: string;
  /** Whose rights it has: the one who changed it last. */
  readonly owner: { readonly tokenId: string; readonly tokenName: string };
  readonly isEnabled: boolean;
  /** Once at this time, as the cron expression says in the time zone, or by `timing.daily`. */
  readonly at: Instant | undefined;
  readonly cron: string | undefined;
  readonly timezone: string;
  readonly timing?: ScheduleTiming | undefined;
  readonly missed: MissedRule;
  /** A missed run is made up for so long. */
  readonly lateMs: number;
  /** Undefined: it does not run any more. */
  readonly nextAt: Instant | undefined;
  /** The bulk command, as JSON; sensitive arguments are hidden. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly revision: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface ScheduleRun {
  /** The time that it was due. */
  readonly dueAt: Instant;
  readonly at: Instant;
  readonly outcome: RunOutcome;
  readonly bulkId: string | undefined;
  readonly reason: string | undefined;
}

export const MAX_SCHEDULES = 1_000;
export const MAX_SCHEDULES_OF_TOKEN = 100;
/** Of one schedule; older ones are forgotten. */
export const MAX_RUNS = 100;
export const LONGEST_LATE_MS = 7 * 86_400_000;

/** The first time after this one; undefined when there is none. */
export type NextAfter = (after: number) => number | undefined;

/** A run that begins within this time is not late. */
const ON_TIME_MS = 60_000;
/** So many missed times are counted. */
const MOST_COUNTED = 1_000;

export interface Due {
  /** What is to run now; undefined: nothing. */
  readonly run: { readonly dueAt: number; readonly lateMs: number } | undefined;
  readonly skipped: { readonly dueAt: number; readonly reason: string } | undefined;
  readonly nextAt: number | undefined;
}

/** Of several times that were missed, at most the last one is made up for. */
export function judgeDue(
  { nextAt, missed, lateMs }: Pick<CommandSchedule, "missed" | "lateMs"> & { readonly nextAt: number },
  nextAfter: NextAfter,
  now: number,
): Due {
  let [last, count] = [nextAt, 1];
  for (let next = nextAfter(last); next !== undefined && next <= now; next = nextAfter(last)) {
    last = next;
    if (++count <= MOST_COUNTED) continue;
    last = lastWithin(nextAfter, now, Math.max(lateMs, ON_TIME_MS)) ?? last;
    break;
  }
  const late = now - last;
  const isRun = late <= ON_TIME_MS || (missed === "run_late" && late <= lateMs);
  const lost = isRun ? count - 1 : count;
  const many = count > MOST_COUNTED ? `at least ${MOST_COUNTED}` : `${lost}`;
  const reason = lost === 1 ? "the time was missed" : `${many} times were missed`;
  return {
    run: isRun ? { dueAt: last, lateMs: late } : undefined,
    skipped: lost === 0 ? undefined : { dueAt: isRun ? nextAt : last, reason },
    // After both: a clock that was set back repeats nothing.
    nextAt: nextAfter(Math.max(now, last)),
  };
}

/** The last time before now, looked for from now on backwards. Undefined when it is longer ago than that. */
function lastWithin(nextAfter: NextAfter, now: number, longestMs: number): number | undefined {
  for (let ms = ON_TIME_MS; ; ms *= 2) {
    let found: number | undefined;
    const from = now - Math.min(ms, longestMs) - 1;
    for (let next = nextAfter(from); next !== undefined && next <= now; next = nextAfter(next)) found = next;
    if (found !== undefined || ms >= longestMs) return found;
  }
}
