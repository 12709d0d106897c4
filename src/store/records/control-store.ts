import type { ControlStore } from "#service/ports/control-store.ts";
import type { ReadDatabase } from "#store/database.ts";
import { CLAIM_COLUMNS, parseClaim, parseRecord, parseState, RECORD_COLUMNS } from "./control-row.ts";
import type { Lists } from "./lists.ts";
import { text } from "./row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

/** What a cloud has of the devices of its gateways are copies. */
const OWN = `device_id IN (SELECT d.id FROM device d JOIN site s ON s.id = d.site_id WHERE s.gateway_id IS NULL)`;

export function createControlStore(reader: ReadDatabase, writer: Writer, lists: Lists): ControlStore {
  return {
    load: async (deviceId) => {
      const where = deviceId === undefined ? new Where().and(OWN) : new Where().and("device_id = ?", deviceId);
      const claims = await reader.all(
        `SELECT ${CLAIM_COLUMNS}, checksum FROM control_claim ${where.sql}`,
        ...where.values,
      );
      const states = await reader.all(
        `SELECT device_id, control, state FROM control_state ${where.sql}`,
        ...where.values,
      );
      return {
        claims: readRows(reader, { table: "control_claim", rows: claims }, parseClaim),
        states: states.map((row) => ({
          deviceId: text(row, "device_id"),
          control: text(row, "control"),
          state: parseState(text(row, "state")),
        })),
      };
    },
    claim: (input) => writer.run("insertClaim", input),
    release: (deviceId, claimId, trail) => writer.run("releaseClaim", { deviceId, claimId, trail }),
    save: async (stored, record, now, isNews = record !== undefined) => {
      await writer.run("saveControl", { stored, record, now, isNews });
    },
    devicesOfSite: async (siteId) => {
      const rows = await reader.all(
        `SELECT id FROM device WHERE site_id = ? AND (id IN (SELECT device_id FROM control_claim)
           OR id IN (SELECT device_id FROM control_state)) ORDER BY id`,
        siteId,
      );
      return rows.map((row) => text(row, "id"));
    },
    record: async ({ deviceId, at }) => {
      const sql = `SELECT ${RECORD_COLUMNS} FROM control_history WHERE device_id = ? AND at = ?`;
      const row = await reader.get(sql, deviceId, at);
      return row && parseRecord(row);
    },
    history: async ({ deviceId, control, from, to }, page) => {
      const where = new Where().and("device_id = ?", deviceId);
      if (from !== undefined) where.and("at >= ?", from * 1000);
      if (to !== undefined) where.and("at < ?", to * 1000);
      if (control !== undefined) where.and("control = ?", control);
      return await lists.page(page, {
        columns: RECORD_COLUMNS,
        from: "control_history",
        range: new Where().and("device_id = ?", deviceId),
        where,
        order: "at DESC",
        read: parseRecord,
      });
    },
    prune: (before) => writer.run("pruneControlHistory", { before }),
  };
}
