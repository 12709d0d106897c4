import type { AuditEntry, AuditOutcome, AuditTarget } from "#core/access/audit-entry.ts";
import type { AuditLimits, AuditStore } from "#service/ports/audit-store.ts";
import type { Connection, Row } from "./connection.ts";
import type { Lists } from "./lists.ts";
import { listed, number, optionalText, optionalTime, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const COLUMNS =
  "id, at, actor_token_id, actor_name, action, site_id, target, outcome, code, request_id, remote_address, details, count, last_at";
/** Few enough that pruning never holds up other writes. */
const PRUNE_AT_ONCE = 1_000;
const MERGED = " ON CONFLICT (id) DO UPDATE SET count = excluded.count, last_at = excluded.last_at";
/** As their indexes say it. */
const ANONYMOUS = "outcome = 'REFUSED' AND actor_token_id IS NULL";
const REFUSED = "outcome = 'REFUSED' AND actor_token_id IS NOT NULL";

export function createAuditStore(lists: Lists, writer: Writer): AuditStore {
  return {
    append: (entries) => writer.run("appendAudit", { entries }),
    put: (entries) => writer.run("putAudit", { entries }),
    list: async (filter, page) => {
      const where = new Where();
      if (filter.reader.sites !== "all") {
        where.and(
          "(site_id IN (SELECT value FROM json_each(?)) OR actor_token_id = ?)",
          listed(filter.reader.sites),
          filter.reader.tokenId,
        );
      }
      if (filter.since !== undefined) where.and("at >= ?", filter.since);
      if (filter.before !== undefined) where.and("at < ?", filter.before);
      where.andIn("action", filter.actions).andIn("site_id", filter.siteIds).andIn("outcome", filter.outcomes);
      const order = filter.newestFirst ? "at DESC, id DESC" : "at, id";
      return lists.page(page, {
        columns: COLUMNS,
        from: "audit",
        where,
        order,
        whose: `audit ${filter.reader.tokenId}`,
        read: (row, database) => readEntry(database, row),
      });
    },
    prune: (limits) => writer.run("pruneAudit", limits),
  };
}

export const auditWrites = {
  appendAudit(database: Connection, { entries }: { entries: readonly AuditEntry[] }): void {
    for (const entry of entries) recordAudit(database, entry);
  },

  putAudit(database: Connection, { entries }: { entries: readonly AuditEntry[] }): void {
    for (const entry of entries) insert(database, entry, MERGED);
  },

  pruneAudit(database: Connection, limits: AuditLimits): number {
    const drop = (which: string, ...values: readonly number[]) =>
      database.run(`DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE ${which})`, ...values);
    const older = `at < ? ORDER BY at LIMIT ${PRUNE_AT_ONCE}`;
    const beyond = `ORDER BY at DESC, id DESC LIMIT ${PRUNE_AT_ONCE} OFFSET ?`;
    return (
      drop(older, limits.before) +
      drop(`${ANONYMOUS} AND ${older}`, limits.anonymousBefore) +
      drop(`${ANONYMOUS} ${beyond}`, limits.maxAnonymous) +
      drop(`${REFUSED} ${beyond}`, limits.maxRefused)
    );
  },
};

export function recordAudit(database: Connection, entry: AuditEntry): void {
  insert(database, entry, "");
}

function insert(database: Connection, entry: AuditEntry, onConflict: string): void {
  database.run(
    `INSERT INTO audit (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)${onConflict}`,
    entry.id,
    entry.at,
    entry.actor?.tokenId ?? null,
    entry.actor?.name ?? null,
    entry.action,
    entry.target.siteId ?? null,
    JSON.stringify(entry.target),
    entry.outcome,
    entry.code ?? null,
    entry.requestId,
    entry.remoteAddress,
    JSON.stringify(entry.details),
    entry.count,
    entry.count === 1 ? null : entry.lastAt,
  );
}

function readEntry(database: Connection, row: Row): AuditEntry {
  const from = { database, table: "audit", row };
  const tokenId = optionalText(row, "actor_token_id");
  return {
    id: text(row, "id"),
    at: time(row, "at"),
    actor: tokenId === undefined ? undefined : { tokenId, name: text(row, "actor_name") },
    action: text(row, "action"),
    target: (storedJson(from, "target", isObject) ?? {}) as AuditTarget,
    outcome: text(row, "outcome") as AuditOutcome,
    code: optionalText(row, "code"),
    requestId: text(row, "request_id"),
    remoteAddress: text(row, "remote_address"),
    details: (storedJson(from, "details", isObject) ?? {}) as AuditEntry["details"],
    count: number(row, "count"),
    lastAt: optionalTime(row, "last_at") ?? time(row, "at"),
  };
}
