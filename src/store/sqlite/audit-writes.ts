import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { AuditLimits } from "#service/ports/audit-store.ts";
import { AUDIT_COLUMNS } from "./audit-row.ts";
import type { Connection } from "./connection.ts";

/** Few enough that pruning never holds up other writes. */
const PRUNE_AT_ONCE = 1_000;

const MERGED = " ON CONFLICT (id) DO UPDATE SET count = excluded.count, last_at = excluded.last_at";

/** As their indexes say it. */
const ANONYMOUS = "outcome = 'REFUSED' AND actor_token_id IS NULL";

const REFUSED = "outcome = 'REFUSED' AND actor_token_id IS NOT NULL";

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
    `INSERT INTO audit (${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)${onConflict}`,
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
