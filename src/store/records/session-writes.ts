import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Instant } from "#core/time/instant.ts";
import type { NewSession, Renewal } from "#service/ports/session-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { listed, text } from "./row.ts";
import { SESSION_COLUMNS } from "./session-row.ts";

const PRUNE_AT_ONCE = 1_000;

export const sessionWrites = {
  async insertSession(
    database: WriteDatabase,
    { input: { session, replaces, most }, trail }: { input: NewSession; trail: AuditEntry },
  ): Promise<readonly string[]> {
    const surplus = await database.all(
      "SELECT id FROM session WHERE token_id = ? AND id <> ? ORDER BY last_used_at DESC, id DESC LIMIT 1000 OFFSET ?",
      session.tokenId,
      replaces ?? "",
      most - 1,
    );
    const replaced = replaces === undefined ? [] : await database.all("SELECT id FROM session WHERE id = ?", replaces);
    const ended = [...replaced, ...surplus].map((row) => text(row, "id"));
    await remove(database, ended);
    await database.run(
      `INSERT INTO session (${SESSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      session.id,
      session.tokenId,
      session.tokenHash,
      session.hash,
      session.previousHash ?? null,
      session.renewedAt,
      session.createdAt,
      session.expiresAt,
      session.lastUsedAt,
      session.remoteAddress,
      session.userAgent,
    );
    await recordAudit(database, trail);
    return ended;
  },

  async renewSession(database: Database, { renewal }: { renewal: Renewal }): Promise<boolean> {
    const { id, from, hash, previousHash, renewedAt } = renewal;
    const changed = await database.run(
      "UPDATE session SET hash = ?, previous_hash = ?, renewed_at = ? WHERE id = ? AND hash = ?",
      hash,
      previousHash ?? null,
      renewedAt,
      id,
      from,
    );
    return changed > 0;
  },

  async endSession(database: WriteDatabase, { id, trail }: { id: string; trail: AuditEntry }): Promise<boolean> {
    if ((await database.run("DELETE FROM session WHERE id = ?", id)) === 0) return false;
    await recordAudit(database, trail);
    return true;
  },

  async endSessionsOfToken(
    database: WriteDatabase,
    { tokenId, trail }: { tokenId: string; trail: AuditEntry },
  ): Promise<readonly string[]> {
    const rows = await database.all("SELECT id FROM session WHERE token_id = ? ORDER BY id", tokenId);
    const ended = rows.map((row) => text(row, "id"));
    if (ended.length === 0) return ended;
    await database.run("DELETE FROM session WHERE token_id = ?", tokenId);
    await recordAudit(database, trail);
    return ended;
  },

  async noteSessionUse(database: Database, { uses }: { uses: ReadonlyMap<string, Instant> }): Promise<void> {
    for (const [id, at] of uses) {
      await database.run("UPDATE session SET last_used_at = ? WHERE id = ? AND last_used_at < ?", at, id, at);
    }
  },

  async pruneSessions(
    database: Database,
    { expiredAt, idleSince }: { expiredAt: Instant; idleSince: Instant },
  ): Promise<number> {
    return await database.run(
      `DELETE FROM session WHERE id IN
       (SELECT id FROM session WHERE expires_at <= ? OR last_used_at <= ? ORDER BY id LIMIT ${PRUNE_AT_ONCE})`,
      expiredAt,
      idleSince,
    );
  },
};

async function remove(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await database.run("DELETE FROM session WHERE id IN (SELECT value FROM json_each(?))", listed(ids));
}
