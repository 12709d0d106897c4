import { MAX_SCHEDULES } from "#core/schedule/schedule.ts";
import type { ScheduleStore } from "#service/ports/schedule-store.ts";
import type { ReadDatabase } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import { text } from "./row.ts";
import {
  parseRun,
  parseSchedule,
  parseSealedSchedule,
  RUN_COLUMNS,
  readSchedule,
  SCHEDULE_COLUMNS,
} from "./schedule-row.ts";
import { readRow, readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createScheduleStore(reader: ReadDatabase, writer: Writer, lists: Lists): ScheduleStore {
  return {
    insert: (input, trail) => writer.run("insertSchedule", { input, trail }),
    update: (input, trail) => writer.run("updateSchedule", { input, trail }),
    delete: (id, trail) => writer.run("deleteSchedule", { id, trail }),
    find: async (id) => {
      const row = await readSchedule(reader, id);
      const where = { table: "command_schedule", row: row ?? {} };
      return row && (await readRow(reader, where, async () => parseSealedSchedule(row, reader)));
    },
    list: (tokenId, page) => {
      const where = new Where();
      if (tokenId !== undefined) where.and("token_id = ?", tokenId);
      const from = "command_schedule";
      return lists.page(page, { columns: SCHEDULE_COLUMNS, from, where, order: "name, id", read: parseSchedule });
    },
    due: async (now) => {
      const rows = await reader.all(
        "SELECT id FROM command_schedule WHERE next_at <= ? AND is_enabled = 1 ORDER BY next_at, id LIMIT ?",
        now,
        MAX_SCHEDULES,
      );
      return readRows(reader, { table: "command_schedule", rows }, (row) => text(row, "id"));
    },
    step: (schedule, step) => writer.run("stepSchedule", { schedule, step }),
    runs: (id, page) =>
      lists.page(page, {
        columns: RUN_COLUMNS,
        from: "schedule_run",
        where: new Where().and("schedule_id = ?", id),
        order: "due_at DESC, outcome",
        read: parseRun,
      }),
  };
}
