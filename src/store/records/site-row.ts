import type { Location, Site } from "#core/site/site.ts";
import { isTimezone } from "#core/site/timezone.ts";
import type { DamageLog, Database, Row } from "#store/database.ts";
import { shortName, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";

export const SITE_COLUMNS = "id, name, timezone, timezone_assumed, location, created_at, updated_at";

export async function findSite(database: Database, id: string): Promise<Site | undefined> {
  const row = await database.get(`SELECT ${SITE_COLUMNS} FROM site WHERE id = ?`, id);
  return row && parseSite(database, row);
}

export function parseSite(database: DamageLog, row: Row): Site {
  const location =
    row["location"] === null ? undefined : storedJson({ database, table: "site", row }, "location", isLocation);
  return {
    id: text(row, "id"),
    name: shortName(row, "name"),
    timezone: knownZone(text(row, "timezone")),
    ...(row["timezone_assumed"] === 1 && { timezoneAssumed: true }),
    ...(location !== undefined && { location }),
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}

/** A zone that nobody knows must not end every answer about the site. */
const knownZone = (timezone: string): string => (isTimezone(timezone) ? timezone : "UTC");

function isLocation(value: unknown): value is Location {
  if (!isObject(value) || typeof value["name"] !== "string") return false;
  return [value["latitude"], value["longitude"]].every((one) => one === undefined || Number.isFinite(one));
}
