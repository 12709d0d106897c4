import type { AuditStore } from "#service/ports/audit-store.ts";
import type { Database } from "#store/database.ts";
import { AUDIT_COLUMNS, parseEntry } from "./audit-row.ts";
import type { Lists } from "./lists.ts";
import { listed } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createAuditStore(reader: Database, writer: Writer, lists: Lists): AuditStore {
  return {
    find: async (id) => {
      const row = await reader.get(`SELECT ${AUDIT_COLUMNS} FROM audit WHERE id = ?`, id);
      return row && parseEntry(reader, row);
    },
    append: (entries) => writer.run("appendAudit", { entries }),
    put: (entries) => writer.run("putAudit", { entries }),
    list: async (filter, page) => {
      const where = new Where();
      if (filter.reader.sites !== "all") {
        where.and(
          "(site_id IN (SELECT value FROM json_each(?)) OR (actor_token_id = ? AND reported_by IS NULL))",
          listed(filter.reader.sites),
          filter.reader.tokenId,
        );
      }
      if (filter.since !== undefined) where.and("at >= ?", filter.since);
      if (filter.before !== undefined) where.and("at < ?", filter.before);
      where.andIn("action", filter.actions).andIn("site_id", filter.siteIds).andIn("outcome", filter.outcomes);
      where.andIn("door", filter.doors).andIn("device_id", filter.deviceIds);
      if (filter.actors !== undefined) {
        const ids = listed(filter.actors);
        const isOneOf = "IN (SELECT value FROM json_each(?))";
        where.and(`(account_id ${isOneOf} OR actor_token_id ${isOneOf})`, ids, ids);
      }
      const order = filter.newestFirst ? "at DESC, id DESC" : "at, id";
      return lists.page(page, {
        columns: AUDIT_COLUMNS,
        from: "audit",
        where,
        ...(filter.deviceIds && { range: new Where().andIn("device_id", filter.deviceIds) }),
        order,
        whose: `audit ${filter.reader.tokenId}`,
        read: (row, database) => parseEntry(database, row),
      });
    },
    prune: (limits) => writer.run("pruneAudit", limits),
  };
}
