import { ACCESS_LEVELS } from "#core/access/level.ts";
import { EXECUTION_STATES, isOpen } from "#core/command/execution.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import type { ExecutionFilter } from "#service/ports/execution-store.ts";
import type { Database, Row } from "#store/database.ts";
import { ofDevices, type Term } from "./of-devices.ts";
import { listed, number, oneOf, text } from "./row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";

/** Executions that agree in everything a list filters by, except time. */
export interface Group {
  readonly id: number;
  readonly deviceId: string;
  readonly total: number;
  readonly ephemeral: boolean;
  /** Not counted by hours and days. */
  readonly open: boolean;
}

/** Half-open: `since` belongs to it, `before` does not. */
export interface Bounds {
  readonly since: number;
  readonly before: number;
}

/** How many groups, or devices named by a filter, a list may look at one by one on the main thread. */
const FEW_GROUPS = 300;

/** Whether `findGroups` would look at few groups. */
export async function hasFewGroups(reader: Database, filter: ExecutionFilter): Promise<boolean> {
  if ((filter.deviceIds?.length ?? 0) > FEW_GROUPS) return false;
  const where = placeOf(filter);
  const found = await reader.get(
    `SELECT 1 FROM execution_group${where.sql} LIMIT 1 OFFSET ${FEW_GROUPS}`,
    ...where.values,
  );
  return found === undefined;
}

/**
 * The conditions by which an index finds groups: the index of devices if the filter names some, otherwise that of
 * sites.
 */
function placeOf({ scope, siteId, deviceIds }: ExecutionFilter): Where {
  // A plus keeps SQLite from using that column's index.
  const site = deviceIds === undefined ? "site_id" : "+site_id";
  const where = new Where().andIn("device_id", deviceIds).andInScope(site, scope);
  return siteId === undefined ? where : where.and(`${site} = ?`, siteId);
}

/** The groups with executions that match the filter. */
export async function findGroups(reader: Database, filter: ExecutionFilter): Promise<readonly Group[]> {
  const where = placeOf(filter).and("total > 0").and("read_level <= ?", ACCESS_LEVELS.indexOf(filter.level));
  if (filter.retention !== "ALL") where.and("ephemeral = ?", filter.retention === "EPHEMERAL" ? 1 : 0);
  where.andIn("state", filter.states);
  if (filter.names !== undefined) {
    const names = listed(filter.names);
    where.and(
      "(name IN (SELECT value FROM json_each(?)) OR manifest_name IN (SELECT value FROM json_each(?)))",
      names,
      names,
    );
  }
  const rows = await reader.all(
    `SELECT id, device_id, total, ephemeral, state FROM execution_group${where.sql}`,
    ...where.values,
  );
  return readRows(reader, { table: "execution_group", rows }, parseGroup);
}

function parseGroup(row: Row): Group {
  return {
    id: number(row, "id"),
    deviceId: text(row, "device_id"),
    total: number(row, "total"),
    ephemeral: row["ephemeral"] === 1,
    open: isOpen(oneOf(row, "state", EXECUTION_STATES)),
  };
}

/** Groups whose executions lie within the same bounds of time. */
export interface Share {
  readonly groups: readonly Group[];
  readonly bounds: Bounds;
}

/** Splits persistent and ephemeral groups: of the ephemeral ones, only executions younger than a day are left. */
export function sharesOf(groups: readonly Group[], filter: ExecutionFilter): readonly Share[] {
  const since = filter.since ?? EARLIEST;
  const before = filter.before ?? LATEST;
  const alive = filter.now - EPHEMERAL_LIFETIME_MS + 1;
  const shares = [
    { groups: groups.filter((group) => !group.ephemeral), bounds: { since, before } },
    { groups: groups.filter((group) => group.ephemeral), bounds: { since: Math.max(since, alive), before } },
  ];
  return shares.filter((share) => share.groups.length > 0 && share.bounds.since < share.bounds.before);
}

/** Whether every execution of the groups lies within the bounds. */
export function isUnbounded({ bounds }: Share): boolean {
  return bounds.since === EARLIEST && bounds.before === LATEST;
}

/** The same groups between narrower bounds. */
export function within(shares: readonly Share[], { since, before }: Bounds): readonly Share[] {
  return shares
    .map(({ groups, bounds }) => ({
      groups,
      bounds: { since: Math.max(bounds.since, since), before: Math.min(bounds.before, before) },
    }))
    .filter(({ bounds }) => bounds.since < bounds.before);
}

/** Later than every moment that can be written. */
export const EARLIEST = Number.MIN_SAFE_INTEGER;
export const LATEST = Number.MAX_SAFE_INTEGER;

/** The condition that an execution, or a counter, belongs to one of the groups. */
export function ofGroups(database: Database, groups: readonly Group[]): Term {
  const devices = ofDevices(
    database,
    groups.map(({ deviceId }) => deviceId),
  );
  return {
    sql: `group_id IN (SELECT CAST(value AS INTEGER) FROM json_each(?))${devices.sql}`,
    values: [listedIds(groups), ...devices.values],
  };
}

export function listedIds(groups: readonly Group[]): string {
  return JSON.stringify(groups.map((group) => group.id));
}
