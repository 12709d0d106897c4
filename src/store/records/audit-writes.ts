import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { AuditLimits } from "#service/ports/audit-store.ts";
import type { Database, Value, WriteDatabase } from "#store/database.ts";
import { AUDIT_COLUMNS } from "./audit-row.ts";
import { marked, note } from "./link-marks.ts";
import { NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

/** Whoever wrote the entry, here or a gateway, is the only one who changes it. */
const MERGED = ` ON CONFLICT (id) DO UPDATE SET count = excluded.count, last_at = excluded.last_at
  WHERE coalesce(audit.reported_by, '') = coalesce(excluded.reported_by, '')`;

/** As their indexes say it. */
const ANONYMOUS = "outcome = 'REFUSED' AND actor_token_id IS NULL";

const REFUSED = "outcome = 'REFUSED' AND actor_token_id IS NOT NULL";

export const auditWrites = {
  appendAudit: write({
    locks: [],
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: WriteDatabase, { entries }: { entries: readonly AuditEntry[] }) {
      for (const entry of entries) await recordAudit(database, entry);
    },
  }),

  putAudit: write({
    locks: ({ entries }) => entries.map(({ id }) => `audit ${id}`),
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: WriteDatabase, { entries }: { entries: readonly AuditEntry[] }) {
      for (const entry of entries) {
        mergeAudit(database, entry);
        await note(database, marked("audit", entry.id));
      }
    },
  }),

  pruneAudit: prune("audit", async (database: Database, limits: AuditLimits) => {
    const drop = async (which: string, ...values: readonly number[]) =>
      database.run(`DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE ${which})`, ...values);
    const older = `at < ? ORDER BY at LIMIT ${PRUNE_AT_ONCE}`;
    const beyond = `ORDER BY at DESC, id DESC LIMIT ${PRUNE_AT_ONCE} OFFSET ?`;
    return (
      (await drop(older, limits.before)) +
      (await drop(`${ANONYMOUS} AND ${older}`, limits.anonymousBefore)) +
      (await drop(`${ANONYMOUS} ${beyond}`, limits.maxAnonymous)) +
      (await drop(`${REFUSED} ${beyond}`, limits.maxRefused))
    );
  }),
};

export async function recordAudit(database: WriteDatabase, entry: AuditEntry): Promise<void> {
  database.row(INSERT, ...valuesOf(entry));
  await note(database, marked("audit", entry.id));
}

/** Stores the entry of a change that has changed rows, and says whether it has. */
export async function recordIfChanged(database: WriteDatabase, entry: AuditEntry, rows: number): Promise<boolean> {
  if (rows > 0) await recordAudit(database, entry);
  return rows > 0;
}

/** Stores the entry; of one that is known and of the same writer, the count and the last time. */
export function mergeAudit(database: WriteDatabase, entry: AuditEntry): void {
  database.send(MERGE, ...valuesOf(entry));
}

const INSERT = `INSERT INTO audit (${AUDIT_COLUMNS})`;
const MERGE = `${INSERT} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)${MERGED}`;

function valuesOf(entry: AuditEntry): readonly Value[] {
  return [
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
    entry.reportedBy ?? null,
    entry.door ?? null,
    entry.actor?.accountId ?? null,
    entry.target.deviceId ?? null,
  ];
}
