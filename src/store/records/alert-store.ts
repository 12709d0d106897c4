import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { AlertStateName } from "#core/alert/alert-state.ts";
import type { AlertFilter, AlertStore } from "#service/ports/alert-store.ts";
import type { Database } from "#store/database.ts";
import { ACKNOWLEDGED, ALERT_COLUMNS, parseAlert } from "./alert-row.ts";
import type { Lists } from "./lists.ts";
import { listed, text } from "./row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = `${ALERT_COLUMNS}, ${ACKNOWLEDGED}`;

export function createAlertStore(reader: Database, writer: Writer, lists: Lists): AlertStore {
  return {
    record: (deviceId, changes, announced) => writer.run("recordAlerts", { deviceId, changes, announced }),
    acknowledge: (names, acknowledgement, done) => writer.run("acknowledgeAlerts", { names, acknowledgement, done }),
    copyAcknowledgement: (name, acknowledgement) => writer.run("copyAcknowledgement", { name, acknowledgement }),
    active: async (deviceId) => {
      const where = new Where().and("cleared_at IS NULL");
      if (deviceId !== undefined) where.and("device_id = ?", deviceId);
      const sql = `SELECT ${COLUMNS} FROM alert${where.sql} ORDER BY raised_at, device_id, source, alert_id`;
      return readRows(reader, { table: "alert", rows: await reader.all(sql, ...where.values) }, parseAlert);
    },
    find: async ({ deviceId, source, alertId, raisedAt }) => {
      const sql = `SELECT ${COLUMNS} FROM alert WHERE device_id = ? AND source = ? AND alert_id = ? AND raised_at = ?`;
      const rows = await reader.all(sql, deviceId, source, alertId, raisedAt);
      return readRows(reader, { table: "alert", rows }, parseAlert)[0];
    },
    list: async (filter, page) =>
      lists.page(page, {
        columns: COLUMNS,
        from: "alert",
        where: whereOf(filter),
        order: filter.newestFirst
          ? "raised_at DESC, device_id DESC, source DESC, alert_id DESC"
          : "raised_at, device_id, source, alert_id",
        read: parseAlert,
      }),
    raisedNames: async (deviceIds, level) => {
      const names = new Map<string, Set<string>>(deviceIds.map((id) => [id, new Set()]));
      const rows = await reader.all(
        `SELECT device_id, alert_id FROM alert WHERE cleared_at IS NULL AND not_confirmed_since IS NULL AND read_level <= ?
         AND device_id IN (SELECT value FROM json_each(?)) ORDER BY raised_at, source, alert_id`,
        ACCESS_LEVELS.indexOf(level),
        listed(deviceIds),
      );
      for (const row of rows) names.get(text(row, "device_id"))?.add(text(row, "alert_id"));
      return new Map([...names].map(([id, set]) => [id, [...set]]));
    },
    prune: (before) => writer.run("pruneAlerts", { before }),
  };
}

const IN_STATE: Readonly<Record<AlertStateName, string>> = {
  SOFT: "(not_confirmed_since IS NULL AND hardened_at IS NULL)",
  HARD: "(not_confirmed_since IS NULL AND hardened_at IS NOT NULL)",
  UNCONFIRMED: "not_confirmed_since IS NOT NULL",
};

function stateCondition(states: readonly AlertStateName[]): string {
  return states.length === 0 ? "1 = 0" : `(${[...new Set(states)].map((state) => IN_STATE[state]).join(" OR ")})`;
}

function whereOf(filter: AlertFilter): Where {
  const where = new Where()
    .and(filter.active ? "cleared_at IS NULL" : "cleared_at IS NOT NULL")
    .and("read_level <= ?", ACCESS_LEVELS.indexOf(filter.level))
    .andInScope("site_id", filter.scope)
    .andIn("device_id", filter.deviceIds)
    .andIn("severity", filter.severities);
  if (filter.siteId !== undefined) where.and("site_id = ?", filter.siteId);
  if (filter.states !== undefined) where.and(stateCondition(filter.states));
  if (filter.since !== undefined) where.and("raised_at >= ?", filter.since);
  if (filter.before !== undefined) where.and("raised_at < ?", filter.before);
  return where;
}
