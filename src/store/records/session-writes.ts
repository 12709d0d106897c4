import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Instant } from "#core/time/instant.ts";
import type { NodeMessage } from "#service/ports/nodes.ts";
import type { NewSession, NewSignInCode, Renewal } from "#service/ports/session-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { listed, text } from "./row.ts";
import { CODE_COLUMNS, SESSION_COLUMNS } from "./session-row.ts";
import { NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

const endedNote = (ids: readonly string[]): NodeMessage => ({ kind: "sessions", have: "ended", ids });

export const sessionWrites = {
  insertSession: write({
    locks: ({ input }) => [
      `token ${input.session.tokenId}`,
      ...(input.replaces === undefined ? [] : [`session ${input.replaces}`]),
    ],
    informs: { cloud: undefined, nodes: (_, replaced) => endedNote(replaced) },
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { input: { session, replaces, most }, trail }: { input: NewSession; trail: AuditEntry },
    ) {
      const surplus = await database.all(
        "SELECT id FROM session WHERE token_id = ? AND id <> ? ORDER BY last_used_at DESC, id DESC LIMIT 1000 OFFSET ?",
        session.tokenId,
        replaces ?? "",
        most - 1,
      );
      const replaced =
        replaces === undefined ? [] : await database.all("SELECT id FROM session WHERE id = ?", replaces);
      const ended = [...replaced, ...surplus].map((row) => text(row, "id"));
      await remove(database, ended);
      await database.run(
        `INSERT INTO session (${SESSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
        session.providerSession ?? null,
      );
      await recordAudit(database, trail);
      return ended;
    },
  }),

  renewSession: write({
    locks: ({ renewal }) => [`session ${renewal.id}`],
    informs: { cloud: undefined, nodes: ({ renewal: { id } }) => ({ kind: "sessions", have: "renewed", ids: [id] }) },
    fromReserve: false,
    async run(database: Database, { renewal }: { renewal: Renewal }) {
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
  }),

  endSession: write({
    locks: ({ id }) => [`session ${id}`],
    informs: { cloud: undefined, nodes: ({ id }) => endedNote([id]) },
    fromReserve: true,
    async run(database: WriteDatabase, { id, trail }: { id: string; trail: AuditEntry }) {
      return await recordIfChanged(database, trail, await database.run("DELETE FROM session WHERE id = ?", id));
    },
  }),

  endSessionsOfToken: write({
    locks: ({ tokenId }) => [`token ${tokenId}`],
    informs: { cloud: undefined, nodes: (_, ids) => endedNote(ids) },
    fromReserve: true,
    async run(database: WriteDatabase, { tokenId, trail }: { tokenId: string; trail: AuditEntry }) {
      const rows = await database.all("SELECT id FROM session WHERE token_id = ? ORDER BY id", tokenId);
      const ended = rows.map((row) => text(row, "id"));
      if (ended.length === 0) return ended;
      await database.run("DELETE FROM session WHERE token_id = ?", tokenId);
      await recordAudit(database, trail);
      return ended;
    },
  }),

  endSessionsOfProvider: write({
    locks: ({ tokenId }) => [`token ${tokenId}`],
    informs: { cloud: undefined, nodes: (_, ids) => endedNote(ids) },
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { tokenId, providerSession, trail }: { tokenId: string; providerSession: string | undefined; trail: AuditEntry },
    ) {
      // One whose session at the provider is not known may be just this.
      const isMeant = providerSession === undefined ? "" : "AND (provider_session IS NULL OR provider_session = ?)";
      const meant = [tokenId, ...(providerSession === undefined ? [] : [providerSession])];
      await database.run(`DELETE FROM sign_in_step WHERE account_id = ? ${isMeant}`, ...meant);
      const rows = await database.all(`SELECT id FROM session WHERE token_id = ? ${isMeant} ORDER BY id`, ...meant);
      const ended = rows.map((row) => text(row, "id"));
      if (ended.length === 0) return ended;
      await remove(database, ended);
      await recordAudit(database, trail);
      return ended;
    },
  }),

  noteSessionUse: write({
    locks: ({ uses }) => [...uses.keys()].map((id) => `session ${id}`),
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: Database, { uses }: { uses: ReadonlyMap<string, Instant> }) {
      for (const [id, at] of uses) {
        await database.run("UPDATE session SET last_used_at = ? WHERE id = ? AND last_used_at < ?", at, id, at);
      }
    },
  }),

  insertSignInCode: write({
    locks: ({ input }) => [`token ${input.code.tokenId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { input: { code, mostOfToken, most } }: { input: NewSignInCode }) {
      await database.run("DELETE FROM sign_in_code WHERE expires_at <= ?", code.createdAt);
      const newest = (where: string) =>
        `SELECT hash FROM sign_in_code ${where} ORDER BY created_at DESC, hash LIMIT 1000 OFFSET ?`;
      const surplus = [
        ...(await database.all(newest("WHERE token_id = ?"), code.tokenId, mostOfToken - 1)),
        ...(await database.all(newest(""), most - 1)),
      ];
      for (const row of surplus) await database.run("DELETE FROM sign_in_code WHERE hash = ?", text(row, "hash"));
      await database.run(
        `INSERT INTO sign_in_code (${CODE_COLUMNS}) VALUES (?, ?, ?, ?, ?)`,
        code.hash,
        code.tokenId,
        Number(code.isForScreen),
        code.createdAt,
        code.expiresAt,
      );
    },
  }),

  takeSignInCode: write({
    locks: ({ hash }) => [`code ${hash}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { hash, now }: { hash: string; now: Instant }) {
      const sql = "DELETE FROM sign_in_code WHERE hash = ? AND expires_at > ?";
      return (await database.run(sql, hash, now)) > 0;
    },
  }),

  pruneSessions: prune(
    "sessions",
    async (database: Database, { expiredAt, idleSince }: { expiredAt: Instant; idleSince: Instant }) => {
      return await database.run(
        `DELETE FROM session WHERE id IN
       (SELECT id FROM session WHERE expires_at <= ? OR last_used_at <= ? ORDER BY id LIMIT ${PRUNE_AT_ONCE})`,
        expiredAt,
        idleSince,
      );
    },
  ),
};

async function remove(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await database.run("DELETE FROM session WHERE id IN (SELECT value FROM json_each(?))", listed(ids));
}
