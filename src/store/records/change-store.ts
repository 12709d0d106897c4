import type { ChangeStore } from "#service/ports/change-store.ts";
import type { Database } from "#store/database.ts";
import { CHANGE_COLUMNS, parseGatewayChange, readBase } from "./change-row.ts";
import type { Lists } from "./lists.ts";
import { text } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createChangeStore(reader: Database, writer: Writer, lists: Lists): ChangeStore {
  return {
    ask: (change, trail, rolloutId) => writer.run("askChange", { change, trail, rolloutId }),
    find: async (id) => {
      const row = await reader.get(`SELECT ${CHANGE_COLUMNS} FROM gateway_change WHERE id = ?`, id);
      return row && parseGatewayChange(reader, row);
    },
    next: async (gatewayId) => {
      const row = await reader.get(
        `SELECT ${CHANGE_COLUMNS} FROM gateway_change WHERE gateway_id = ? AND state = 'PENDING' ORDER BY number LIMIT 1`,
        gatewayId,
      );
      return row && parseGatewayChange(reader, row);
    },
    lapsed: async (now, limit) => {
      const rows = await reader.all(
        `SELECT ${CHANGE_COLUMNS} FROM gateway_change WHERE state = 'PENDING' AND lease_until <= ?
           AND gateway_id IN (SELECT id FROM gateway WHERE is_connected = 0) ORDER BY lease_until LIMIT ?`,
        now,
        limit,
      );
      return rows.map((row) => parseGatewayChange(reader, row));
    },
    beside: async ({ id, gatewayId, siteId, deviceId }) => {
      const rows = await reader.all(
        `SELECT id, base FROM gateway_change WHERE gateway_id = ? AND state = 'PENDING' AND id <> ? AND site_id = ?
           AND coalesce(device_id, '') = ?`,
        gatewayId,
        id,
        siteId,
        deviceId ?? "",
      );
      return rows.map((row) => ({ id: text(row, "id"), base: readBase(reader, row) }));
    },
    settle: (id, settlement) => writer.run("settleChange", { id, settlement }),
    withdraw: (id, withdrawal) => writer.run("withdrawChange", { id, withdrawal }),
    list: (filter, page) =>
      lists.page(page, {
        columns: CHANGE_COLUMNS,
        from: "gateway_change",
        where: new Where()
          .andInScope("site_id", filter.scope)
          .andIn("site_id", filter.siteIds)
          .andIn("device_id", filter.deviceIds)
          .andIn("state", filter.states)
          .andIn("request_id", filter.requestIds),
        order: "number DESC",
        read: (row, database) => parseGatewayChange(database, row),
      }),
    prune: (before, renewalsBefore) => writer.run("pruneChanges", { before, renewalsBefore }),
  };
}
