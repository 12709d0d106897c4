import type { CalendarStore } from "#service/ports/calendar-store.ts";
import type { ReadDatabase } from "#store/database.ts";
import { CALENDAR_COLUMNS, calendarsOfSite, findCalendar, parseCalendar } from "./calendar-row.ts";
import type { Lists } from "./lists.ts";
import { number } from "./row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createCalendarStore(reader: ReadDatabase, writer: Writer, lists: Lists): CalendarStore {
  return {
    put: (input, trail) => writer.run("putCalendar", { input, trail }),
    delete: (named, trail) => writer.run("deleteCalendar", { named, trail }),
    find: (siteId, name) => findCalendar(reader, siteId, name),
    list: (siteId, page) =>
      lists.page(page, {
        columns: CALENDAR_COLUMNS,
        from: "site_calendar",
        where: new Where().and("site_id = ?", siteId),
        order: "name",
        read: parseCalendar,
      }),
    async ofSite(siteId) {
      const rows = await calendarsOfSite(reader, siteId);
      return readRows(reader, { table: "site_calendar", rows }, (row) => parseCalendar(row, reader));
    },
    async mark(siteId) {
      const sql = `SELECT count(*) AS total, coalesce(sum(revision), 0) AS revisions, coalesce(max(updated_at), 0) AS latest
        FROM site_calendar WHERE site_id = ?`;
      const row = await reader.one(sql, siteId);
      return ["total", "revisions", "latest"].map((column) => number(row, column)).join(" ");
    },
  };
}
