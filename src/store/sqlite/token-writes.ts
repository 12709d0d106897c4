import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { SiteScope } from "#core/access/caller.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import type { Instant } from "#core/time/instant.ts";
import { recordAudit } from "./audit-writes.ts";
import type { Connection } from "./connection.ts";
import { listed } from "./row.ts";
import { TOKEN_COLUMNS } from "./token-row.ts";

export const tokenWrites = {
  insertToken(database: Connection, { token, trail }: { token: TokenRecord; trail: AuditEntry }): void {
    insert(database, token);
    recordAudit(database, trail);
  },

  putAdminToken(database: Connection, { token }: { token: TokenRecord }): void {
    const changed = database.run(
      "UPDATE token SET name = ?, level = ?, sites = ?, hash = ?, expires_at = ?, revoked_at = ? WHERE id = ?",
      token.name,
      token.level,
      renderSites(token.sites),
      token.hash,
      token.expiresAt ?? null,
      token.revokedAt ?? null,
      token.id,
    );
    if (changed === 0) insert(database, token);
  },

  revokeToken(database: Connection, { id, at, trail }: { id: string; at: Instant; trail: AuditEntry }): boolean {
    const changed = database.run("UPDATE token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id);
    if (changed === 0) return false;
    recordAudit(database, trail);
    return true;
  },

  noteTokenUse(database: Connection, { uses }: { uses: ReadonlyMap<string, Instant> }): void {
    for (const [id, at] of uses) {
      database.run("UPDATE token SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?", at, id);
    }
  },
};

function insert(database: Connection, token: TokenRecord): void {
  database.run(
    `INSERT INTO token (${TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    token.id,
    token.name,
    token.level,
    renderSites(token.sites),
    token.hash,
    token.createdAt,
    token.expiresAt ?? null,
    token.revokedAt ?? null,
    token.lastUsedAt ?? null,
  );
}

function renderSites(sites: SiteScope): string | null {
  return sites === "all" ? null : listed(sites);
}
