import { AUDIT_OUTCOMES, type AuditEntry, type AuditTarget } from "#core/access/audit-entry.ts";
import { doorOf } from "#core/access/door.ts";
import type { DamageLog, Row } from "#store/database.ts";
import { number, oneOf, optionalText, optionalTime, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";

export const AUDIT_COLUMNS =
  "id, at, actor_token_id, actor_name, action, site_id, target, outcome, code, request_id, remote_address, details, count, last_at, reported_by, door, account_id, device_id";

export function parseEntry(database: DamageLog, row: Row): AuditEntry {
  const from = { database, table: "audit", row };
  const tokenId = optionalText(row, "actor_token_id");
  const accountId = optionalText(row, "account_id");
  return {
    id: text(row, "id"),
    at: time(row, "at"),
    actor:
      tokenId === undefined
        ? undefined
        : { tokenId, name: text(row, "actor_name"), ...(accountId !== undefined && { accountId }) },
    door: doorOf(row["door"]),
    action: text(row, "action"),
    target: storedJson(from, "target", isTarget) ?? {},
    outcome: oneOf(row, "outcome", AUDIT_OUTCOMES),
    code: optionalText(row, "code"),
    requestId: text(row, "request_id"),
    remoteAddress: text(row, "remote_address"),
    details: storedJson(from, "details", isObject) ?? {},
    count: number(row, "count"),
    reportedBy: optionalText(row, "reported_by"),
    lastAt: optionalTime(row, "last_at") ?? time(row, "at"),
  };
}

function isTarget(value: unknown): value is AuditTarget {
  return isObject(value) && Object.values(value).every((id) => id === undefined || typeof id === "string");
}
