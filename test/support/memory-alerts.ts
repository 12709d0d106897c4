// Alerts in memory, as simple as possible: the real stores are compared with it, and the tracker is tested on it.

import { allows } from "#core/access/level.ts";
import { MAX_PAST_ALERTS } from "#core/alert/alert-limits.ts";
import { alertStateOf } from "#core/alert/alert-state.ts";
import { type AlertName, alertKey } from "#core/link/linked-key.ts";
import type { Notice } from "#core/webhook/webhook.ts";
import type { AlertFilter, AlertRecord, AlertStore } from "#service/ports/alert-store.ts";

export interface MemoryAlerts extends AlertStore {
  readonly rows: readonly AlertRecord[];
  readonly notices: readonly Notice[];
  /** Until false, writing is refused as if the disk were in trouble. */
  refuse: boolean;
}

/** `siteOf` gives the site of a device, or undefined when there is no such device. */
export function createMemoryAlerts(siteOf: (deviceId: string) => string | undefined): MemoryAlerts {
  const rows = new Map<string, AlertRecord>();
  const notices: Notice[] = [];
  const keyOf = (row: AlertName) => [row.deviceId, row.source, row.alertId, row.raisedAt].join("\n");
  const inOrder = (a: AlertRecord, b: AlertRecord) =>
    a.raisedAt - b.raisedAt ||
    (`${a.deviceId} ${a.source} ${a.alertId}` < `${b.deviceId} ${b.source} ${b.alertId}` ? -1 : 1);
  const sorted = () => [...rows.values()].sort(inOrder);
  return {
    refuse: false,
    notices,
    get rows() {
      return sorted();
    },
    async record(deviceId, changes, news) {
      if (this.refuse) throw new Error("the disk is in trouble");
      const siteId = siteOf(deviceId);
      if (siteId === undefined) return false;
      for (const { kind, at, alert } of changes) {
        const { acknowledgement } = rows.get(keyOf({ ...alert, deviceId })) ?? {};
        const row = { ...alert, deviceId, siteId, clearedAt: kind === "cleared" ? at : undefined, acknowledgement };
        rows.set(keyOf(row), row);
      }
      const past = sorted().filter((row) => row.deviceId === deviceId && row.clearedAt !== undefined);
      for (const row of past.slice(0, Math.max(0, past.length - MAX_PAST_ALERTS))) rows.delete(keyOf(row));
      notices.push(...news.notices);
      return true;
    },
    async acknowledge(names, acknowledgement, { announced }) {
      const known = names.map((name) => rows.get(keyOf(name))).filter((row) => row !== undefined);
      const active = known.filter((row) => row.clearedAt === undefined);
      for (const row of active) rows.set(keyOf(row), { ...row, acknowledgement });
      if (active.length > 0) notices.push(...announced.notices);
      return active.length > 0;
    },
    async copyAcknowledgement(name, acknowledgement) {
      const row = rows.get(keyOf(name));
      if (row !== undefined) rows.set(keyOf(row), { ...row, acknowledgement });
    },
    active: async (deviceId) =>
      sorted().filter((row) => row.clearedAt === undefined && (deviceId === undefined || row.deviceId === deviceId)),
    find: async (name) => sorted().find((row) => alertKey(row) === alertKey(name)),
    async list(filter, { limit, offset }) {
      const found = sorted().filter((row) => matches(filter, row));
      if (filter.newestFirst) found.reverse();
      return { items: found.slice(offset, offset + limit), total: found.length };
    },
    async raisedNames(deviceIds, level) {
      const names = (deviceId: string) =>
        sorted()
          .filter((row) => row.deviceId === deviceId && row.clearedAt === undefined && allows(level, row.readLevel))
          .filter((row) => row.notConfirmedSince === undefined)
          .map((row) => row.alertId);
      return new Map(deviceIds.map((id) => [id, [...new Set(names(id))]]));
    },
    async prune(before) {
      const gone = sorted().filter((row) => row.clearedAt !== undefined && row.clearedAt < before);
      for (const row of gone) rows.delete(keyOf(row));
      return gone.length;
    },
  };
}

function matches(filter: AlertFilter, row: AlertRecord): boolean {
  return (
    (row.clearedAt === undefined) === filter.active &&
    allows(filter.level, row.readLevel) &&
    (filter.scope === "all" || filter.scope.has(row.siteId)) &&
    (filter.siteId ?? row.siteId) === row.siteId &&
    (filter.deviceIds?.includes(row.deviceId) ?? true) &&
    (filter.states?.includes(alertStateOf(row)) ?? true) &&
    (filter.severities?.includes(row.severity) ?? true) &&
    (filter.since ?? row.raisedAt) <= row.raisedAt &&
    (filter.before === undefined || row.raisedAt < filter.before)
  );
}
