import type { ScheduleStore } from "#service/ports/schedule-store.ts";
import type { ReadDatabase } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import {
  findSchedule,
  parseRun,
  parseSchedule,
  parseSealedSchedule,
  RUN_COLUMNS,
  SCHEDULE_COLUMNS,
} from "./schedule-row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

/** Few are due in one second; the others follow in the next. */
const DUE_AT_ONCE = 100;

export function createScheduleStore(reader: ReadDatabase, writer: Writer, lists: Lists): ScheduleStore {
  return {
    insert: (input, trail) => writer.run("insertSchedule", { input, trail }),
    update: (input, trail) => writer.run("updateSchedule", { input, trail }),
    delete: (id, trail) => writer.run("deleteSchedule", { id, trail }),
    find: (id) => findSchedule(reader, id),
    list: (tokenId, page) => {
      const where = new Where();
      if (tokenId !== undefined) where.and("token_id = ?", tokenId);
      const from = "command_schedule";
      return lists.page(page, { columns: SCHEDULE_COLUMNS, from, where, order: "name, id", read: parseSchedule });
    },
    due: async (now) => {
      const rows = await reader.all(
        `SELECT ${SCHEDULE_COLUMNS}, sealed FROM command_schedule
         WHERE next_at <= ? AND is_enabled = 1 ORDER BY next_at LIMIT ?`,
        now,
        DUE_AT_ONCE,
      );
      return readRows(reader, { table: "command_schedule", rows }, (row) => parseSealedSchedule(row, reader));
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
