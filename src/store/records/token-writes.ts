import type { AuditEntry } from "#core/access/audit-entry.ts";
import { covers } from "#core/access/caller.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { refuse } from "#core/app-error.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Database, Row, WriteDatabase } from "#store/database.ts";
import { renderSiteLevels, renderSites } from "./access-columns.ts";
import { recordAudit } from "./audit-writes.ts";
import { bytes, optionalText, text } from "./row.ts";
import { parseToken, TOKEN_COLUMNS } from "./token-row.ts";
import { deleteOwnOf } from "./view-writes.ts";
import { NOBODY, write } from "./write.ts";

export const tokenWrites = {
  insertToken: write({
    // That of a person, too: the person's access must not end or become less meanwhile.
    locks: ({ token: { id, accountId } }) => [
      `token ${id}`,
      ...(accountId === undefined ? [] : [`token ${accountId}`]),
    ],
    informs: { cloud: undefined, nodes: ({ token: { id } }) => ({ kind: "token", id }) },
    fromReserve: false,
    async run(database: WriteDatabase, { token, trail }: { token: TokenRecord; trail: AuditEntry }) {
      await requireOwner(database, token);
      await addToken(database, token);
      await recordAudit(database, trail);
    },
  }),

  putAdminToken: write({
    locks: ({ token }) => [`token ${token.id}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { token }: { token: TokenRecord }) {
      const changed = await database.run(
        "UPDATE token SET name = ?, level = ?, sites = ?, hash = ?, expires_at = ?, revoked_at = ? WHERE id = ?",
        token.name,
        token.level,
        renderSites(token.sites),
        token.hash,
        token.expiresAt ?? null,
        token.revokedAt ?? null,
        token.id,
      );
      if (changed === 0) await addToken(database, token);
    },
  }),

  revokeToken: write({
    locks: ({ id }) => [`token ${id}`],
    informs: { cloud: undefined, nodes: ({ id }) => ({ kind: "token", id }) },
    fromReserve: true,
    async run(database: WriteDatabase, { id, at, trail }: { id: string; at: Instant; trail: AuditEntry }) {
      const changed = await database.run("UPDATE token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id);
      if (changed === 0) return false;
      await database.run("DELETE FROM session WHERE token_id = ?", id);
      await deleteOwnOf(database, id);
      await recordAudit(database, trail);
      return true;
    },
  }),

  putCloudTokens: write({
    locks: ({ tokens }) => ["uplink", ...tokens.map(({ id }) => `token ${id}`)],
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { tokens }: { tokens: readonly TokenRecord[] }) {
      // The gateway has left the cloud that sends them.
      if ((await database.get("SELECT 1 AS found FROM uplink")) === undefined) return [];
      const rows = await database.all(
        "SELECT id, name, level, sites, site_levels, hash FROM token WHERE from_cloud = 1",
      );
      const before = new Map(rows.map((row) => [text(row, "id"), row]));
      const after = new Set(tokens.map(({ id }) => id));
      const gone = [...before.keys()].filter((id) => !after.has(id));
      for (const id of gone) {
        await database.run("DELETE FROM session WHERE token_id = ?", id);
        await deleteOwnOf(database, id);
        await database.run("DELETE FROM token WHERE id = ?", id);
      }
      for (const token of tokens) {
        const changed = await database.run(
          "UPDATE token SET name = ?, level = ?, sites = ?, site_levels = ?, hash = ?, expires_at = ?, account_id = ? WHERE id = ? AND from_cloud = 1",
          token.name,
          token.level,
          renderSites(token.sites),
          renderSiteLevels(token),
          token.hash,
          token.expiresAt ?? null,
          token.accountId ?? null,
          token.id,
        );
        const own = "SELECT 1 AS found FROM token WHERE id = ?";
        if (changed === 0 && (await database.get(own, token.id)) === undefined) await addToken(database, token);
      }
      return [...gone, ...tokens.filter((token) => !isStored(before.get(token.id), token)).map(({ id }) => id)];
    },
  }),

  noteTokenUse: write({
    locks: ({ uses }) => [...uses.keys()].map((id) => `token ${id}`),
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: Database, { uses }: { uses: ReadonlyMap<string, Instant> }) {
      for (const [id, at] of uses) {
        await database.run(
          "UPDATE token SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?",
          at,
          id,
          at,
        );
      }
    },
  }),
};

/** Whether the token is as it was sent before. Its expiry never changes; what is sent is how long that will be. */
function isStored(row: Row | undefined, token: TokenRecord): boolean {
  return (
    row !== undefined &&
    text(row, "name") === token.name &&
    text(row, "level") === token.level &&
    optionalText(row, "sites") === (renderSites(token.sites) ?? undefined) &&
    optionalText(row, "site_levels") === (renderSiteLevels(token) ?? undefined) &&
    Buffer.compare(bytes(row, "hash"), token.hash) === 0
  );
}

/** A token of a person is never for more than that person, as stored now. */
async function requireOwner(database: WriteDatabase, token: TokenRecord): Promise<void> {
  const { id, accountId } = token;
  if (accountId === undefined || accountId === id) return;
  const row = await database.get(`SELECT ${TOKEN_COLUMNS} FROM token WHERE id = ? AND account_id = id`, accountId);
  const owner = row && parseToken(database, row);
  if (owner?.revokedAt === undefined && owner && covers(owner, token)) return;
  throw refuse("forbidden", "the person who asks has no such access any more");
}

export async function addToken(database: Database, token: TokenRecord): Promise<void> {
  await database.run(
    `INSERT INTO token (${TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    token.id,
    token.name,
    token.level,
    renderSites(token.sites),
    renderSiteLevels(token),
    token.hash,
    token.createdAt,
    token.expiresAt ?? null,
    token.revokedAt ?? null,
    token.lastUsedAt ?? null,
    token.fromCloud === true ? 1 : 0,
    token.accountId ?? null,
  );
}
