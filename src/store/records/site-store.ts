import type { SiteStore } from "#service/ports/site-store.ts";
import type { Database } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import { findSite, parseSite, SITE_COLUMNS } from "./site-row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createSiteStore(reader: Database, writer: Writer, lists: Lists): SiteStore {
  return {
    insert: (site, trail) => writer.run("insertSite", { site, trail }),
    find: async (id) => await findSite(reader, id),
    list: async (scope, page) =>
      lists.page(page, {
        columns: SITE_COLUMNS,
        from: "site",
        where: new Where().andInScope("id", scope),
        order: "id",
        read: (row) => parseSite(reader, row),
      }),
    update: (id, change, trail) => writer.run("updateSite", { id, change, trail }),
    delete: (id, trail) => writer.run("deleteSite", { id, trail }),
  };
}
