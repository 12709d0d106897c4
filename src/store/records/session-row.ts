import type { Session } from "#core/access/session.ts";
import type { SignInCode } from "#service/ports/session-store.ts";
import type { Row } from "#store/database.ts";
import { bytes, number, optionalBytes, optionalText, text, time } from "./row.ts";

export const SESSION_COLUMNS =
  "id, token_id, token_hash, hash, previous_hash, renewed_at, created_at, expires_at, last_used_at, remote_address, user_agent, provider_session";

export function parseSession(row: Row): Session {
  return {
    id: text(row, "id"),
    tokenId: text(row, "token_id"),
    tokenHash: bytes(row, "token_hash"),
    hash: bytes(row, "hash"),
    previousHash: optionalBytes(row, "previous_hash"),
    renewedAt: time(row, "renewed_at"),
    createdAt: time(row, "created_at"),
    expiresAt: time(row, "expires_at"),
    lastUsedAt: time(row, "last_used_at"),
    remoteAddress: text(row, "remote_address"),
    userAgent: text(row, "user_agent"),
    providerSession: optionalText(row, "provider_session"),
  };
}

export const CODE_COLUMNS = "hash, token_id, is_for_screen, created_at, expires_at";

export function parseCode(row: Row): SignInCode {
  return {
    hash: text(row, "hash"),
    tokenId: text(row, "token_id"),
    isForScreen: number(row, "is_for_screen") === 1,
    createdAt: time(row, "created_at"),
    expiresAt: time(row, "expires_at"),
  };
}
