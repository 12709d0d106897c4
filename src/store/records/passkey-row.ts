import type { Passkey } from "#core/access/passkey.ts";
import type { Row } from "#store/database.ts";
import { bytes, number, optionalTime, text, time } from "./row.ts";

export const PASSKEY_COLUMNS = "id, account_id, name, host, public_key, use_count, created_at, last_used_at";

export function parsePasskey(row: Row): Passkey {
  return {
    id: text(row, "id"),
    accountId: text(row, "account_id"),
    name: text(row, "name"),
    host: text(row, "host"),
    publicKey: bytes(row, "public_key"),
    useCount: number(row, "use_count"),
    createdAt: time(row, "created_at"),
    lastUsedAt: optionalTime(row, "last_used_at"),
  };
}
