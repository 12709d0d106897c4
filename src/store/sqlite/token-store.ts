import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import type { Instant } from "#core/time/instant.ts";
import type { TokenStore } from "#service/ports/token-store.ts";
import { recordAudit } from "./audit-store.ts";
import type { Connection, Row } from "./connection.ts";
import { bytes, listed, optionalTime, text, time } from "./row.ts";
import { readRows, readSites } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = "id, name, level, sites, hash, created_at, expires_at, revoked_at, last_used_at";

export function createTokenStore(reader: Connection, writer: Writer): TokenStore {
  return {
    insert: (token, trail) => writer.run("insertToken", { token, trail }),
    putAdmin: (token) => writer.run("putAdminToken", { token }),
    find: async (id) => {
      const row = reader.get(`SELECT ${COLUMNS} FROM token WHERE id = ?`, id);
      return row && readToken(reader, row);
    },
    all: async () => {
      const rows = reader.all(`SELECT ${COLUMNS} FROM token ORDER BY id`);
      return readRows(reader, { table: "token", rows }, (row) => readToken(reader, row));
    },
    revoke: (id, at, trail) => writer.run("revokeToken", { id, at, trail }),
    noteUse: (uses) => writer.run("noteTokenUse", { uses }),
  };
}

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
    `INSERT INTO token (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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

function readToken(database: Connection, row: Row): TokenRecord {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    level: text(row, "level") as AccessLevel,
    sites: readSites({ database, table: "token", row }),
    hash: bytes(row, "hash"),
    createdAt: time(row, "created_at"),
    expiresAt: optionalTime(row, "expires_at"),
    revokedAt: optionalTime(row, "revoked_at"),
    lastUsedAt: optionalTime(row, "last_used_at"),
  };
}
