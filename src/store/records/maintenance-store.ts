import type { MaintenanceStore } from "#service/ports/maintenance-store.ts";
import type { Database } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import { parseWindow, WINDOW_COLUMNS } from "./maintenance-row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createMaintenanceStore(reader: Database, writer: Writer, lists: Lists): MaintenanceStore {
  return {
    insert: (window, trail) => writer.run("insertWindow", { window, trail }),
    end: (named, trail) => writer.run("endWindow", { named, trail }),
    list: (siteId, page) =>
      lists.page(page, {
        columns: WINDOW_COLUMNS,
        from: "maintenance_window",
        where: new Where().and("site_id = ?", siteId),
        order: "ends_at DESC, id DESC",
        read: parseWindow,
      }),
    async notOver(siteId, now) {
      const sql = `SELECT ${WINDOW_COLUMNS} FROM maintenance_window WHERE site_id = ? AND ends_at > ? ORDER BY begins_at, id`;
      return readRows(reader, { table: "maintenance_window", rows: await reader.all(sql, siteId, now) }, parseWindow);
    },
    prune: (before) => writer.run("pruneWindows", { before }),
  };
}
