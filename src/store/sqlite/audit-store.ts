import type { AuditEntry, AuditOutcome, AuditTarget } from "#core/access/audit-entry.ts";
import type { Instant } from "#core/time/instant.ts";
import type { AuditStore } from "#service/ports/audit-store.ts";
import type { Connection, Row } from "./connection.ts";
import { listed, optionalText, text, time } from "./row.ts";
import { selectPage, Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const COLUMNS =
  "id, at, actor_token_id, actor_name, action, site_id, target, outcome, code, request_id, remote_address, details";
/** Few enough that pruning never holds up other writes. */
const PRUNE_AT_ONCE = 1_000;

export function createAuditStore(reader: Connection, writer: Writer): AuditStore {
  return {
    append: (entries) => writer.run("appendAudit", { entries }),
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
      return selectPage(reader, page, { columns: COLUMNS, from: "audit", where, order, read: readEntry });
    },
    prune: (before) => writer.run("pruneAudit", { before }),
  };
}

export const auditWrites = {
  appendAudit(database: Connection, { entries }: { entries: readonly AuditEntry[] }): void {
    for (const entry of entries) recordAudit(database, entry);
  },

  pruneAudit(database: Connection, { before }: { before: Instant }): number {
    return database.run(
      "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ? ORDER BY at LIMIT ?)",
      before,
      PRUNE_AT_ONCE,
    );
  },
};

export function recordAudit(database: Connection, entry: AuditEntry): void {
  database.run(
    `INSERT INTO audit (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
  );
}

function readEntry(row: Row): AuditEntry {
  const tokenId = optionalText(row, "actor_token_id");
  return {
    id: text(row, "id"),
    at: time(row, "at"),
    actor: tokenId === undefined ? undefined : { tokenId, name: text(row, "actor_name") },
    action: text(row, "action"),
    target: JSON.parse(text(row, "target")) as AuditTarget,
    outcome: text(row, "outcome") as AuditOutcome,
    code: optionalText(row, "code"),
    requestId: text(row, "request_id"),
    remoteAddress: text(row, "remote_address"),
    details: JSON.parse(text(row, "details")) as AuditEntry["details"],
  };
}
