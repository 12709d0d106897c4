import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import {
  type CommandSchedule,
  MAX_RUNS,
  MAX_SCHEDULES,
  MAX_SCHEDULES_OF_TOKEN,
  type ScheduleRun,
} from "#core/schedule/schedule.ts";
import type { ChangedSchedule, ScheduleStep, SealedSchedule } from "#service/ports/schedule-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { insertBulkRows } from "./bulk-writes.ts";
import { number } from "./row.ts";
import { findSchedule, RUN_COLUMNS, SCHEDULE_COLUMNS } from "./schedule-row.ts";
import { NOBODY, write } from "./write.ts";

const locks = ["schedules"];

export const scheduleWrites = {
  insertSchedule: write({
    locks,
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { input, trail }: { input: SealedSchedule; trail: AuditEntry }): Promise<void> {
      await requireRoom(database, input.schedule.owner.tokenId);
      await database.run(
        `INSERT INTO command_schedule (${SCHEDULE_COLUMNS}, sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        input.schedule.id,
        ...valuesOf(input.schedule),
        input.sealed,
      );
      await recordAudit(database, trail);
    },
  }),

  updateSchedule: write({
    locks,
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { input, trail }: { input: ChangedSchedule; trail: AuditEntry },
    ): Promise<CommandSchedule | undefined> {
      const { sealed, keepsTime } = input;
      const before = (await findSchedule(database, input.schedule.id))?.schedule;
      if (before === undefined) return undefined;
      const schedule = keepsTime ? { ...input.schedule, nextAt: before.nextAt } : input.schedule;
      if (before.revision !== schedule.revision - 1) {
        const message = `the schedule was changed meanwhile: it has revision ${before.revision}; read it again`;
        throw refuse("conflict", message, { pointer: "/revision", revision: before.revision });
      }
      const columns = SCHEDULE_COLUMNS.split(", ").slice(1);
      await database.run(
        `UPDATE command_schedule SET ${columns.map((column) => `${column} = ?`).join(", ")}, sealed = ? WHERE id = ?`,
        ...valuesOf(schedule),
        sealed,
        schedule.id,
      );
      const dueAt = before.isEnabled ? before.nextAt : undefined;
      if (!keepsTime && dueAt !== undefined && dueAt <= schedule.updatedAt) {
        const reason = "the schedule was changed before it could run";
        const run = { dueAt, at: schedule.updatedAt, outcome: "SKIPPED", bulkId: undefined, reason } as const;
        await insertRun(database, schedule.id, run);
      }
      await recordAudit(database, trail);
      return schedule;
    },
  }),

  deleteSchedule: write({
    locks,
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { id, trail }: { id: string; trail: AuditEntry }) {
      return await recordIfChanged(
        database,
        trail,
        await database.run("DELETE FROM command_schedule WHERE id = ?", id),
      );
    },
  }),

  stepSchedule: write({
    locks: ["schedules", "bulks"],
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { schedule, step }: { schedule: Pick<CommandSchedule, "id" | "revision" | "nextAt">; step: ScheduleStep },
    ): Promise<boolean> {
      const stepped = await database.run(
        `UPDATE command_schedule SET next_at = ?, is_enabled = CASE WHEN ? = 1 THEN 0 ELSE is_enabled END
         WHERE id = ? AND (revision = ? OR ? = 1) AND next_at = ? AND is_enabled = 1`,
        step.nextAt ?? null,
        step.disables ? 1 : 0,
        schedule.id,
        schedule.revision,
        step.anyRevision ? 1 : 0,
        schedule.nextAt ?? null,
      );
      if (stepped === 0) return false;
      if (step.bulk !== undefined) await insertBulkRows(database, step.bulk.input, step.bulk.trail);
      for (const run of step.runs) await insertRun(database, schedule.id, run);
      return true;
    },
  }),
};

function valuesOf(schedule: CommandSchedule) {
  return [
    schedule.name,
    schedule.owner.tokenId,
    schedule.owner.tokenName,
    schedule.isEnabled ? 1 : 0,
    schedule.at ?? null,
    schedule.cron ?? null,
    schedule.timezone,
    schedule.timing === undefined ? null : JSON.stringify(schedule.timing),
    schedule.missed,
    schedule.lateMs,
    schedule.nextAt ?? null,
    JSON.stringify(schedule.shown),
    schedule.revision,
    schedule.createdAt,
    schedule.updatedAt,
  ];
}

async function requireRoom(database: Database, tokenId: string): Promise<void> {
  const row = await database.one(
    "SELECT count(*) AS total, coalesce(sum(CASE WHEN token_id = ? THEN 1 ELSE 0 END), 0) AS own FROM command_schedule",
    tokenId,
  );
  if (number(row, "own") >= MAX_SCHEDULES_OF_TOKEN || number(row, "total") >= MAX_SCHEDULES) {
    throw refuse(
      "conflict",
      `a token has at most ${MAX_SCHEDULES_OF_TOKEN} schedules, and all have ${MAX_SCHEDULES}; delete some first`,
    );
  }
}

async function insertRun(database: Database, id: string, run: ScheduleRun): Promise<void> {
  await database.run(
    `INSERT INTO schedule_run (schedule_id, ${RUN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (schedule_id, due_at, outcome) DO NOTHING`,
    id,
    run.dueAt,
    run.at,
    run.outcome,
    run.bulkId ?? null,
    run.reason ?? null,
  );
  await database.run(
    `DELETE FROM schedule_run WHERE schedule_id = ? AND due_at < (
       SELECT due_at FROM schedule_run WHERE schedule_id = ? ORDER BY due_at DESC LIMIT 1 OFFSET ${MAX_RUNS - 1})`,
    id,
    id,
  );
}
