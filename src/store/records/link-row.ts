import type { Gateway, OpenJoinCode, Uplink } from "#core/link/gateway.ts";
import { refusedRecord } from "#core/link/refused-record.ts";
import type { NotedRefusal } from "#service/ports/link-store.ts";
import type { Row } from "#store/database.ts";
import { bytes, number, optionalBytes, optionalText, optionalTime, text, time } from "./row.ts";

export const GATEWAY_COLUMNS =
  "id, name, credential_hash, created_at, revoked_at, version, last_seen_at, is_connected, epoch, taken, next_credential_hash, must_rotate, protocol, is_caught_up";

export function parseGateway(row: Row): Gateway {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    credentialHash: bytes(row, "credential_hash"),
    createdAt: time(row, "created_at"),
    revokedAt: optionalTime(row, "revoked_at"),
    version: text(row, "version"),
    lastSeenAt: optionalTime(row, "last_seen_at"),
    isConnected: row["is_connected"] === 1,
    epoch: optionalText(row, "epoch"),
    taken: number(row, "taken"),
    nextCredentialHash: optionalBytes(row, "next_credential_hash"),
    mustRotate: row["must_rotate"] === 1,
    protocol: optionalText(row, "protocol"),
    isCaughtUp: row["is_caught_up"] === 1,
  };
}

export const OPEN_CODE_COLUMNS = "id, name, replaces, site_ids, actor_token_id, actor_name, created_at, expires_at";

export function parseOpenCode(row: Row): OpenJoinCode {
  return {
    id: text(row, "id"),
    name: optionalText(row, "name"),
    replaces: optionalText(row, "replaces"),
    siteIds: siteIdsOf(row),
    madeBy: { tokenId: text(row, "actor_token_id"), name: text(row, "actor_name") },
    createdAt: time(row, "created_at"),
    expiresAt: time(row, "expires_at"),
  };
}

/** Sites that a code names. */
export function siteIdsOf(row: Row): readonly string[] {
  const ids: unknown = JSON.parse(optionalText(row, "site_ids") ?? "[]");
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

export function parseRefusal(row: Row): NotedRefusal {
  return { ...refusedRecord(text(row, "kind"), text(row, "key"), text(row, "reason")), at: time(row, "at") };
}

export const UPLINK_COLUMNS =
  "url, gateway_id, credential, joined_at, history_before, confirmed, contact_at, next_credential, former_credential, credential_at, cloud_epoch, history_expired, history_unreadable";

export function parseUplink(row: Row): Uplink {
  return {
    url: text(row, "url"),
    gatewayId: text(row, "gateway_id"),
    credential: bytes(row, "credential"),
    joinedAt: time(row, "joined_at"),
    historyBefore: optionalTime(row, "history_before"),
    confirmed: number(row, "confirmed"),
    contactAt: optionalTime(row, "contact_at"),
    nextCredential: optionalBytes(row, "next_credential"),
    formerCredential: optionalBytes(row, "former_credential"),
    credentialAt: optionalTime(row, "credential_at"),
    cloudEpoch: optionalText(row, "cloud_epoch"),
    dropped: { expired: number(row, "history_expired"), unreadable: number(row, "history_unreadable") },
  };
}
