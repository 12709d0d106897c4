import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import type { Route, RouteStep } from "#core/notification/route.ts";
import type { Database } from "#store/database.ts";
import { text, time } from "./row.ts";
import { isTexts, readRows, type StoredRow, storedJson } from "./stored-json.ts";

export const ROUTE_COLUMNS = "id, site_id, name, content, created_at, updated_at";

type Content = Omit<Route, "id" | "siteId" | "name" | "createdAt" | "updatedAt">;

export const contentOf = ({ id: _, siteId: __, name: ___, createdAt: ____, updatedAt: _____, ...content }: Route) =>
  JSON.stringify(content);

/** By name. */
export async function routesOf(database: Database, siteId: string): Promise<readonly Route[]> {
  const sql = `SELECT ${ROUTE_COLUMNS} FROM notification_route WHERE site_id = ? ORDER BY name, id`;
  const table = "notification_route";
  return readRows(database, { table, rows: await database.all(sql, siteId) }, (row) =>
    parseRoute({ database, table, row }),
  ).filter((route) => route !== undefined);
}

function parseRoute(from: StoredRow): Route | undefined {
  const content = storedJson(from, "content", isContent);
  if (content === undefined) return undefined;
  const { row } = from;
  const head = { id: text(row, "id"), siteId: text(row, "site_id"), name: text(row, "name") };
  const { hours, remindMs } = content;
  return {
    ...head,
    ...content,
    hours,
    remindMs,
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}

function isContent(value: unknown): value is Content {
  const { isEnabled, severity, profiles, hours, tellsRules, steps, groupMs, remindMs, tellsOver } = (value ??
    {}) as Record<string, unknown>;
  return (
    [isEnabled, tellsRules, tellsOver].every((one) => typeof one === "boolean") &&
    ALERT_SEVERITIES.some((one) => one === severity) &&
    isTexts(profiles) &&
    ["string", "undefined"].includes(typeof hours) &&
    ["number", "undefined"].includes(typeof remindMs) &&
    typeof groupMs === "number" &&
    Array.isArray(steps) &&
    steps.every(isStep)
  );
}

function isStep(value: unknown): value is RouteStep {
  const { channels, afterMs } = (value ?? {}) as Record<string, unknown>;
  return isTexts(channels) && typeof afterMs === "number";
}
