// Runs scheduled commands. What is due is decided and stored in one transaction, together with the bulk command that it
// begins: a kill at any moment leaves a time that has run once, or one that is still due.
import type { Caller } from "#core/access/caller.ts";
import { AppError } from "#core/app-error.ts";
import { type CommandSchedule, judgeDue, type ScheduleRun } from "#core/schedule/schedule.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { type BulkInput, type CreateBulkNeeds, prepareBulk } from "#service/bulk/create-bulk.ts";
import { isPassing, refusalOf } from "#service/bulk/refusal-of.ts";
import type { ScheduleStep, SealedSchedule } from "#service/ports/schedule-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { calendarsOf, leftOutAt, nextTimes, type ScheduleTimeNeeds } from "./schedule-times.ts";

export interface ScheduleRunnerNeeds extends CreateBulkNeeds, ScheduleTimeNeeds, Pick<Needs, "schedules"> {
  readonly authenticator: Pick<Authenticator, "holder">;
  readonly log: { warn(about: object, text: string): void };
}

/** A schedule that is changed meanwhile is read anew, so often. */
const TRIES = 3;
/** What could not begin is tried again after a second, two seconds and so on. */
const LONGEST_WAIT_MS = 15_000;

/** A schedule that is due and could not begin. */
interface Waiting {
  readonly why: string;
  readonly waitMs: number;
  readonly againAt: number;
}

export function createScheduleRunner(needs: ScheduleRunnerNeeds): { runDue(): Promise<void> } {
  const waiting = new Map<string, Waiting>();

  async function runOne(id: string): Promise<void> {
    for (let tries = 1; tries <= TRIES; tries++) {
      const found = await needs.schedules.find(id);
      const step = found?.schedule.isEnabled === true ? await decide(found) : undefined;
      if (found === undefined || step === undefined) return;
      // Changes that never end do not keep it from running: in the end it runs as it was read last.
      if (await needs.schedules.step(found.schedule, { ...step, anyRevision: tries === TRIES })) return;
    }
  }

  /** Undefined: it is not due any more. */
  async function decide(found: SealedSchedule): Promise<Omit<ScheduleStep, "anyRevision"> | undefined> {
    const { schedule } = found;
    const { nextAt } = schedule;
    const now = needs.now();
    if (nextAt === undefined || nextAt > now) return undefined;
    const due = judgeDue({ ...schedule, nextAt }, await nextTimes(needs, schedule), now);
    const next = due.nextAt === undefined ? undefined : instant(due.nextAt);
    const runs = due.skipped === undefined ? [] : [skippedRun(schedule.id, due.skipped, now)];
    if (due.run === undefined) return { runs, bulk: undefined, nextAt: next, disables: false };
    const run = { dueAt: instant(due.run.dueAt), at: now };
    const refused = (reason: string): ScheduleRun => ({ ...run, outcome: "REFUSED", bulkId: undefined, reason });
    const leftOut = leftOutAt(schedule.timing, await calendarsOf(needs, schedule.timing), due.run.dueAt);
    if (leftOut !== undefined) {
      const outcome = leftOut.isUnknown ? "REFUSED" : "SKIPPED";
      const left: ScheduleRun = { ...run, outcome, bulkId: undefined, reason: leftOut.reason };
      return { runs: [...runs, left], bulk: undefined, nextAt: next, disables: false };
    }
    const caller = await callerOf(schedule);
    if (typeof caller === "string") {
      return { runs: [...runs, refused(caller)], bulk: undefined, nextAt: next, disables: true };
    }
    try {
      const bulk = await bulkOf(found, caller);
      const reason = due.run.lateMs > 60_000 ? `${Math.round(due.run.lateMs / 1_000)} s late` : undefined;
      const ran: ScheduleRun = { ...run, outcome: "RAN", bulkId: bulk.input.bulk.id, reason };
      return { runs: [...runs, ran], bulk, nextAt: next, disables: false };
    } catch (error) {
      if (isPassing(error)) throw error;
      return { runs: [...runs, refused(refusalOf(error).message)], bulk: undefined, nextAt: next, disables: false };
    }
  }

  function skippedRun(id: string, { dueAt, reason }: { dueAt: number; reason: string }, at: Instant): ScheduleRun {
    const why = waiting.get(id)?.why;
    const told = why === undefined ? reason : `${reason}: ${why}`;
    return { dueAt: instant(dueAt), at, outcome: "SKIPPED", bulkId: undefined, reason: told };
  }

  async function bulkOf({ schedule, sealed }: SealedSchedule, caller: Caller) {
    const input = JSON.parse(needs.seal.open(sealed, schedule.id)) as BulkInput;
    return await prepareBulk(needs, callFor(schedule, caller), {
      input,
      idempotencyKey: undefined,
      scheduleId: schedule.id,
    });
  }

  /** With the rights that the token has now; a text when it has none. */
  async function callerOf({ owner }: CommandSchedule): Promise<Caller | string> {
    try {
      return (await needs.authenticator.holder(owner.tokenId)).caller;
    } catch (error) {
      if (isPassing(error)) throw error;
      return refusalOf(error).message;
    }
  }

  /** It is still due. */
  function letWait(id: string, error: unknown): void {
    const before = waiting.get(id);
    if (before === undefined || !isPassing(error)) {
      needs.log.warn({ scheduleId: id, err: error }, "a scheduled command could not begin");
    }
    const waitMs = Math.min((before?.waitMs ?? 500) * 2, LONGEST_WAIT_MS);
    const why = error instanceof AppError ? refusalOf(error).message : "an error in Busbar; the log has the details";
    waiting.set(id, { why, waitMs, againAt: needs.now() + waitMs });
  }

  return {
    async runDue() {
      const due = new Set(await needs.schedules.due(needs.now()));
      for (const id of waiting.keys()) if (!due.has(id)) waiting.delete(id);
      for (const id of due) {
        const left = (waiting.get(id)?.againAt ?? 0) - needs.now();
        // A clock that was set back does not make it wait for longer.
        if (left > 0 && left <= LONGEST_WAIT_MS) continue;
        try {
          await runOne(id);
          waiting.delete(id);
        } catch (error) {
          letWait(id, error);
        }
      }
    },
  };
}

function callFor({ id }: CommandSchedule, caller: Caller): Call {
  return { caller, operation: "runScheduledCommand", requestId: id, remoteAddress: "schedule", door: "schedule" };
}
