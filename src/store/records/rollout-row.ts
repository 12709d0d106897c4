import {
  type ListedRolloutDevice,
  ROLLOUT_DEVICE_STATES,
  ROLLOUT_STATES,
  type Rollout,
} from "#core/rollout/rollout.ts";
import type { DamageLog, Database, Row } from "#store/database.ts";
import { number, oneOf, optionalText, text, time } from "./row.ts";
import { storedJson } from "./stored-json.ts";

export const ROLLOUT_COLUMNS =
  "id, name, blueprint_id, stages, watch_ms, timeout_ms, max_failures, state, reason, stage, tolerated, token_id, token_name, created_at, updated_at";

export const ROLLOUT_DEVICE_COLUMNS =
  "device_id, site_id, stage, state, since, reason, former_blueprint_id, was_online, alert_before, log_before";

/** Whether the gateway of a `rollout_device` is not connected, or has still to report what happened while it was not. */
export const IS_AWAY = `EXISTS (SELECT 1 FROM site JOIN gateway ON gateway.id = site.gateway_id
  WHERE site.id = rollout_device.site_id AND gateway.is_caught_up = 0)`;

const areNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((one) => typeof one === "number");

export function parseRollout(row: Row, database: DamageLog): Rollout {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    blueprintId: text(row, "blueprint_id"),
    stages: storedJson({ database, table: "rollout", row }, "stages", areNumbers) ?? [],
    watchMs: number(row, "watch_ms"),
    timeoutMs: number(row, "timeout_ms"),
    maxFailures: number(row, "max_failures"),
    state: oneOf(row, "state", ROLLOUT_STATES),
    reason: optionalText(row, "reason"),
    stage: number(row, "stage"),
    tolerated: number(row, "tolerated"),
    createdBy: { tokenId: text(row, "token_id"), tokenName: text(row, "token_name") },
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}

export function parseRolloutDevice(row: Row): ListedRolloutDevice {
  return {
    deviceId: text(row, "device_id"),
    siteId: text(row, "site_id"),
    stage: number(row, "stage"),
    state: oneOf(row, "state", ROLLOUT_DEVICE_STATES),
    since: time(row, "since"),
    reason: optionalText(row, "reason"),
    formerBlueprintId: optionalText(row, "former_blueprint_id"),
    wasOnline: row["was_online"] === 1,
    before:
      row["alert_before"] === null
        ? undefined
        : { alertAt: number(row, "alert_before"), logAt: number(row, "log_before") },
    isAway: row["is_away"] === 1,
  };
}

export async function findRollout(database: Database, id: string): Promise<Rollout | undefined> {
  const row = await database.get(`SELECT ${ROLLOUT_COLUMNS} FROM rollout WHERE id = ?`, id);
  return row && parseRollout(row, database);
}
