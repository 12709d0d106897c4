import {
  type CommandSchedule,
  MISSED_RULES,
  RUN_OUTCOMES,
  type ScheduleRun,
  type ScheduleTiming,
} from "#core/schedule/schedule.ts";
import type { SealedSchedule } from "#service/ports/schedule-store.ts";
import type { DamageLog, Database, Row } from "#store/database.ts";
import { bytes, number, oneOf, optionalText, optionalTime, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";

export const SCHEDULE_COLUMNS =
  "id, name, token_id, token_name, is_enabled, at, cron, timezone, timing, missed, late_ms, next_at, shown, revision, created_at, updated_at";
export const RUN_COLUMNS = "due_at, at, outcome, bulk_id, reason";

export function parseSchedule(row: Row, database: DamageLog): CommandSchedule {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    owner: { tokenId: text(row, "token_id"), tokenName: text(row, "token_name") },
    isEnabled: row["is_enabled"] === 1,
    at: optionalTime(row, "at"),
    cron: optionalText(row, "cron"),
    timezone: text(row, "timezone"),
    timing: row["timing"] === null ? undefined : timingOf(row, database),
    missed: oneOf(row, "missed", MISSED_RULES),
    lateMs: number(row, "late_ms"),
    nextAt: optionalTime(row, "next_at"),
    shown: storedJson({ database, table: "command_schedule", row }, "shown", isObject) ?? {},
    revision: number(row, "revision"),
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}

/** What cannot be read is no timing without exceptions: a schedule that is not understood does not run. */
function timingOf(row: Row, database: DamageLog): ScheduleTiming {
  const stored = storedJson({ database, table: "command_schedule", row }, "timing", isTiming);
  if (stored === undefined) return { siteId: undefined, daily: undefined, except: [""], only: [] };
  const { siteId, daily, except, only } = stored;
  return { siteId, daily: daily && { at: daily.at, days: daily.days }, except, only };
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string");

function isTiming(value: unknown): value is ScheduleTiming {
  if (!isObject(value) || !isTexts(value["except"]) || !isTexts(value["only"])) return false;
  const { siteId, daily } = value;
  if (siteId !== undefined && typeof siteId !== "string") return false;
  if (daily === undefined) return true;
  return isObject(daily) && typeof daily["at"] === "string" && (daily["days"] === undefined || isTexts(daily["days"]));
}

export function parseSealedSchedule(row: Row, database: DamageLog): SealedSchedule {
  return { schedule: parseSchedule(row, database), sealed: bytes(row, "sealed") };
}

export function parseRun(row: Row): ScheduleRun {
  return {
    dueAt: time(row, "due_at"),
    at: time(row, "at"),
    outcome: oneOf(row, "outcome", RUN_OUTCOMES),
    bulkId: optionalText(row, "bulk_id"),
    reason: optionalText(row, "reason"),
  };
}

export async function findSchedule(database: Database & DamageLog, id: string): Promise<SealedSchedule | undefined> {
  const row = await readSchedule(database, id);
  return row && parseSealedSchedule(row, database);
}

export async function readSchedule(database: Database, id: string): Promise<Row | undefined> {
  return await database.get(`SELECT ${SCHEDULE_COLUMNS}, sealed FROM command_schedule WHERE id = ?`, id);
}
