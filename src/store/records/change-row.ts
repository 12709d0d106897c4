import { CHANGE_STATES, type GatewayChange, type KnownValues } from "#core/link/asked-change.ts";
import type { DamageLog, Row } from "#store/database.ts";
import { bytes, oneOf, optionalText, optionalTime, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";

export const CHANGE_COLUMNS =
  "id, gateway_id, number, site_id, device_id, operation, sealed, base, shown, actor_token_id, actor_name, request_id, created_at, awaited_until, lease_until, state, settled_at, outcome";

export function parseGatewayChange(database: DamageLog, row: Row): GatewayChange {
  const place = { database, table: "gateway_change", row };
  return {
    id: text(row, "id"),
    gatewayId: text(row, "gateway_id"),
    siteId: text(row, "site_id"),
    deviceId: optionalText(row, "device_id"),
    operation: text(row, "operation"),
    sealed: bytes(row, "sealed"),
    base: readBase(database, row),
    shown: storedJson(place, "shown", isObject) ?? {},
    askedBy: { tokenId: text(row, "actor_token_id"), name: text(row, "actor_name") },
    requestId: text(row, "request_id"),
    createdAt: time(row, "created_at"),
    awaitedUntil: time(row, "awaited_until"),
    leaseUntil: optionalTime(row, "lease_until"),
    state: oneOf(row, "state", CHANGE_STATES),
    settledAt: optionalTime(row, "settled_at"),
    outcome:
      row["outcome"] === null
        ? undefined
        : (storedJson(place, "outcome", isObject) as unknown as GatewayChange["outcome"]),
  };
}

export function readBase(database: DamageLog, row: Row): KnownValues {
  return storedJson({ database, table: "gateway_change", row }, "base", isObject) ?? {};
}
