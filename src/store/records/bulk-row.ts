import { doorOf } from "#core/access/door.ts";
import { BULK_STATES, type BulkCommand, type BulkMember, MEMBER_STATES } from "#core/bulk/bulk-command.ts";
import type { DamageLog, Database, Row } from "#store/database.ts";
import { number, oneOf, optionalNumber, optionalText, optionalTime, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";

export const BULK_COLUMNS =
  "id, name, arguments, rate, parallel, stop_after, state, reason, token_id, token_name, created_at, ended_at, schedule_id, door";

export const MEMBER_COLUMNS = "place, device, device_id, site_id, state, execution_id, begun_at, code, message";

export function parseBulk(row: Row, database: DamageLog): BulkCommand {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    shown: storedJson({ database, table: "bulk_command", row }, "arguments", isObject) ?? {},
    rate: number(row, "rate"),
    parallel: number(row, "parallel"),
    stopAfter: optionalNumber(row, "stop_after"),
    state: oneOf(row, "state", BULK_STATES),
    reason: optionalText(row, "reason"),
    createdBy: { tokenId: text(row, "token_id"), tokenName: text(row, "token_name") },
    createdAt: time(row, "created_at"),
    endedAt: optionalTime(row, "ended_at"),
    scheduleId: optionalText(row, "schedule_id"),
    door: doorOf(row["door"]),
  };
}

export function parseMember(row: Row): BulkMember {
  return {
    place: number(row, "place"),
    device: text(row, "device"),
    deviceId: optionalText(row, "device_id"),
    siteId: optionalText(row, "site_id"),
    state: oneOf(row, "state", MEMBER_STATES),
    executionId: optionalText(row, "execution_id"),
    begunAt: optionalTime(row, "begun_at"),
    code: optionalText(row, "code"),
    message: optionalText(row, "message"),
  };
}

export async function findBulk(database: Database, id: string): Promise<BulkCommand | undefined> {
  const row = await database.get(`SELECT ${BULK_COLUMNS} FROM bulk_command WHERE id = ?`, id);
  return row && parseBulk(row, database);
}
