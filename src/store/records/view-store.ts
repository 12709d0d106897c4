import type { ViewStore } from "#service/ports/view-store.ts";
import type { Database } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import { findView, HEAD_COLUMNS, parseViewHead } from "./view-row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createViewStore(reader: Database, writer: Writer, lists: Lists): ViewStore {
  return {
    list: async ({ siteId, ownerId, kinds }, page) =>
      lists.page(page, {
        columns: HEAD_COLUMNS,
        from: "saved_view",
        range: new Where().and("site_id = ?", siteId),
        where: new Where()
          .and("site_id = ?", siteId)
          .and("(owner_id IS NULL OR owner_id = ?)", ownerId)
          .andIn("kind", kinds),
        order: "name, id",
        read: parseViewHead,
      }),
    find: async (siteId, id) => await findView(reader, siteId, id),
    insert: (view, trail) => writer.run("insertView", { view, trail }),
    update: (update, trail) => writer.run("updateView", { update, trail }),
    delete: (siteId, id, trail) => writer.run("deleteView", { siteId, id, trail }),
  };
}
