import type { TokenRecord } from "#core/access/token-record.ts";
import type { DamageLog, Row } from "#store/database.ts";
import { readAccess } from "./access-columns.ts";
import { bytes, optionalText, optionalTime, text, time } from "./row.ts";

export const TOKEN_COLUMNS =
  "id, name, level, sites, site_levels, hash, created_at, expires_at, revoked_at, last_used_at, from_cloud, account_id";

export function parseToken(database: DamageLog, row: Row): TokenRecord {
  const accountId = optionalText(row, "account_id");
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    ...readAccess({ database, table: "token", row }),
    hash: bytes(row, "hash"),
    createdAt: time(row, "created_at"),
    expiresAt: optionalTime(row, "expires_at"),
    revokedAt: optionalTime(row, "revoked_at"),
    lastUsedAt: optionalTime(row, "last_used_at"),
    ...(row["from_cloud"] === 1 && { fromCloud: true }),
    ...(accountId !== undefined && { accountId }),
  };
}
