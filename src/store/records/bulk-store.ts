import { MEMBER_STATES, noMembers } from "#core/bulk/bulk-command.ts";
import type { BulkStore } from "#service/ports/bulk-store.ts";
import type { ReadDatabase } from "#store/database.ts";
import { BULK_COLUMNS, findBulk, MEMBER_COLUMNS, parseBulk, parseMember } from "./bulk-row.ts";
import type { Lists } from "./lists.ts";
import { bytes, number, oneOf, optionalTime } from "./row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createBulkStore(reader: ReadDatabase, writer: Writer, lists: Lists): BulkStore {
  return {
    insert: (input, trail) => writer.run("insertBulk", { input, trail }),
    find: (id) => findBulk(reader, id),
    sealed: async (id) => {
      const row = await reader.get("SELECT sealed FROM bulk_command WHERE id = ? AND length(sealed) > 0", id);
      return row && bytes(row, "sealed");
    },
    list: (tokenId, page) => {
      const where = new Where();
      if (tokenId !== undefined) where.and("token_id = ?", tokenId);
      return lists.page(page, {
        columns: BULK_COLUMNS,
        from: "bulk_command",
        where,
        order: "id DESC",
        read: parseBulk,
      });
    },
    open: async () => {
      const rows = await reader.all(`SELECT ${BULK_COLUMNS} FROM bulk_command WHERE ended_at IS NULL ORDER BY id`);
      return readRows(reader, { table: "bulk_command", rows }, (row) => parseBulk(row, reader));
    },
    members: (id, { states }, page) =>
      lists.page(page, {
        columns: MEMBER_COLUMNS,
        from: "bulk_member",
        where: new Where().and("bulk_id = ?", id).andIn("state", states),
        range: new Where().and("bulk_id = ?", id),
        order: "place",
        read: parseMember,
      }),
    counts: async (id) => {
      const sql = "SELECT state, count(*) AS count FROM bulk_member WHERE bulk_id = ? GROUP BY state";
      const counts = noMembers();
      for (const row of await reader.all(sql, id)) counts[oneOf(row, "state", MEMBER_STATES)] = number(row, "count");
      return counts;
    },
    lastBegunAt: async (id) =>
      optionalTime(await reader.one("SELECT max(begun_at) AS at FROM bulk_member WHERE bulk_id = ?", id), "at"),
    putMembers: (id, changes, events) => writer.run("putBulkMembers", { id, changes, events }),
    turn: (id, turn, trail) => writer.run("turnBulk", { id, turn, trail }),
    end: (id, at, event) => writer.run("endBulk", { id, at, event }),
    prune: (before) => writer.run("pruneBulks", { before }),
  };
}
