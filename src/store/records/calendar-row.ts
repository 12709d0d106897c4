import {
  type CalendarContent,
  type CalendarValue,
  MINUTES_OF_DAY,
  type PlanRange,
  type SiteCalendar,
  type WeeklyPlan,
} from "#core/calendar/site-calendar.ts";
import { WEEKDAYS } from "#core/time/weekday.ts";
import type { DamageLog, Database, Row } from "#store/database.ts";
import { number, oneOf, optionalText, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";

export const CALENDAR_COLUMNS =
  "site_id, name, kind, timezone, except_names, content, revision, created_at, updated_at";

export function parseCalendar(row: Row, database: DamageLog): SiteCalendar {
  const except = storedJson({ database, table: "site_calendar", row }, "except_names", isTexts);
  return {
    siteId: text(row, "site_id"),
    name: text(row, "name"),
    timezone: optionalText(row, "timezone"),
    // What cannot be read must not be taken for no exceptions: nobody has a calendar of this name.
    except: except ?? [""],
    ...contentOf(row, database),
    revision: number(row, "revision"),
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}

function contentOf(row: Row, database: DamageLog): CalendarContent {
  const kind = oneOf(row, "kind", ["weekly", "ical"]);
  if (kind === "ical") return { kind, text: text(row, "content") };
  const plan = storedJson({ database, table: "site_calendar", row }, "content", isPlan);
  if (plan === undefined) throw new TypeError("the plan cannot be read");
  return { kind, plan };
}

export const storedContent = (content: CalendarContent): string =>
  content.kind === "ical" ? content.text : JSON.stringify(content.plan);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function isPlan(value: unknown): value is WeeklyPlan {
  return isObject(value) && WEEKDAYS.every((day) => Array.isArray(value[day]) && value[day].every(isRange));
}

function isRange(value: unknown): value is PlanRange {
  return isObject(value) && isMinute(value["from"]) && isMinute(value["to"]) && isValue(value["value"]);
}

const isMinute = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MINUTES_OF_DAY;

const isValue = (value: unknown): value is CalendarValue | undefined =>
  value === undefined || ["string", "number", "boolean"].includes(typeof value);

export async function findCalendar(
  database: Database & DamageLog,
  siteId: string,
  name: string,
): Promise<SiteCalendar | undefined> {
  const sql = `SELECT ${CALENDAR_COLUMNS} FROM site_calendar WHERE site_id = ? AND name = ?`;
  const row = await database.get(sql, siteId, name);
  return row && parseCalendar(row, database);
}

export async function calendarsOfSite(database: Database & DamageLog, siteId: string): Promise<readonly Row[]> {
  return await database.all(`SELECT ${CALENDAR_COLUMNS} FROM site_calendar WHERE site_id = ? ORDER BY name`, siteId);
}
