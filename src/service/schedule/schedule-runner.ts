// Runs scheduled commands. What is due is decided and stored in one transaction, together with the bulk command that it
// begins: a kill at any moment leaves a time that has run once, or one that is still due.
import type { Caller } from "#core/access/caller.ts";
import { AppError } from "#core/app-error.ts";
import { type CommandSchedule, judgeDue, type ScheduleRun } from "#core/schedule/schedule.ts";
import { instant } from "#core/time/instant.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { type BulkInput, type CreateBulkNeeds, prepareBulk } from "#service/bulk/create-bulk.ts";
import { refusalOf } from "#service/bulk/refusal-of.ts";
import type { ScheduleStep, SealedSchedule } from "#service/ports/schedule-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { cronTimes } from "./next-time.ts";

export interface ScheduleRunnerNeeds extends CreateBulkNeeds, Pick<Needs, "schedules"> {
  readonly authenticator: Pick<Authenticator, "holder">;
  readonly log: { warn(about: object, text: string): void };
}

export function createScheduleRunner(needs: ScheduleRunnerNeeds): { runDue(): Promise<void> } {
  async function runOne({ schedule, sealed }: SealedSchedule): Promise<void> {
    const now = needs.now();
    const { nextAt } = schedule;
    if (nextAt === undefined) return;
    const due = judgeDue({ ...schedule, nextAt }, nextTimes(schedule), now);
    const next = due.nextAt === undefined ? undefined : instant(due.nextAt);
    const skipped: ScheduleRun[] =
      due.skipped === undefined
        ? []
        : [
            {
              dueAt: instant(due.skipped.dueAt),
              at: now,
              outcome: "SKIPPED",
              bulkId: undefined,
              reason: due.skipped.reason,
            },
          ];
    const step: ScheduleStep = { runs: skipped, bulk: undefined, nextAt: next, disables: false };
    if (due.run === undefined) {
      await needs.schedules.step(schedule, step);
      return;
    }
    const { dueAt, lateMs } = due.run;
    const run = { dueAt: instant(dueAt), at: now };
    try {
      const caller = await callerOf(schedule);
      if (typeof caller === "string") {
        const refused: ScheduleRun = { ...run, outcome: "REFUSED", bulkId: undefined, reason: caller };
        await needs.schedules.step(schedule, { ...step, runs: [...skipped, refused], disables: true });
        return;
      }
      const input = JSON.parse(needs.seal.open(sealed, schedule.id)) as BulkInput;
      const order = { input, idempotencyKey: undefined, scheduleId: schedule.id };
      const bulk = await prepareBulk(needs, callFor(schedule, caller), order);
      const reason = lateMs > 60_000 ? `${Math.round(lateMs / 1_000)} s late` : undefined;
      const ran: ScheduleRun = { ...run, outcome: "RAN", bulkId: bulk.input.bulk.id, reason };
      await needs.schedules.step(schedule, { ...step, runs: [...skipped, ran], bulk });
    } catch (error) {
      if (!(error instanceof AppError) || error.code.startsWith("storage_")) throw error;
      const refused: ScheduleRun = { ...run, outcome: "REFUSED", bulkId: undefined, reason: refusalOf(error).message };
      await needs.schedules.step(schedule, { ...step, runs: [...skipped, refused] });
    }
  }

  /** With the rights that the token has now; a text when it has none. */
  async function callerOf({ owner }: CommandSchedule): Promise<Caller | string> {
    try {
      return (await needs.authenticator.holder(owner.tokenId)).caller;
    } catch (error) {
      return refusalOf(error).message;
    }
  }

  return {
    async runDue() {
      for (const due of await needs.schedules.due(needs.now())) {
        try {
          await runOne(due);
        } catch (error) {
          // It is still due, and other schedules go on.
          needs.log.warn({ scheduleId: due.schedule.id, err: error }, "a scheduled command could not begin");
        }
      }
    },
  };
}

/** The times of a schedule; after its only time there is none. */
export function nextTimes({ at, cron, timezone }: Pick<CommandSchedule, "at" | "cron" | "timezone">) {
  if (cron !== undefined) return cronTimes(cron, timezone);
  return (after: number) => (at !== undefined && at > after ? at : undefined);
}

function callFor({ id }: CommandSchedule, caller: Caller): Call {
  return { caller, operation: "runScheduledCommand", requestId: id, remoteAddress: "schedule" };
}
