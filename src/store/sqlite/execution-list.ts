// Lists over groups of executions: find the groups that match, sum their counters, merge their index ranges.
import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { Execution } from "#core/command/execution.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import type { ExecutionFilter, Page, PageRequest } from "#service/ports.ts";
import type { Connection, Row } from "./connection.ts";
import { EXECUTION_COLUMNS, EXECUTION_FROM, readExecution } from "./execution-row.ts";
import { listed, number, text } from "./row.ts";
import { Where } from "./where.ts";

const HOUR_MS = 3_600_000;
/** Beyond this many groups, or this deep a page, walking one index over time is cheaper than merging many. */
const MAX_MERGED_GROUPS = 100;
const MAX_MERGED_DEPTH = 5_000;

interface Group {
  readonly id: number;
  readonly total: number;
  readonly ephemeral: boolean;
}

/** Half-open: `since` belongs to it, `before` does not. */
interface Bounds {
  readonly since: number | undefined;
  readonly before: number | undefined;
}

/** From one snapshot: an execution that moves between groups meanwhile would else be in both or in none. */
export function listExecutions(reader: Connection, filter: ExecutionFilter, page: PageRequest): Page<Execution> {
  return reader.snapshot(() => readPage(reader, filter, page));
}

function readPage(reader: Connection, filter: ExecutionFilter, page: PageRequest): Page<Execution> {
  const groups = findGroups(reader, filter);
  const persistent = groups.filter((group) => !group.ephemeral);
  const ephemeral = groups.filter((group) => group.ephemeral);
  const total =
    countGroups(reader, persistent, boundsOf(filter, false)) + countGroups(reader, ephemeral, boundsOf(filter, true));
  if (page.limit === 0 || page.offset >= total) return { items: [], total };
  const depth = page.offset + page.limit;
  const ids =
    groups.length <= MAX_MERGED_GROUPS && depth <= MAX_MERGED_DEPTH
      ? mergeGroups(reader, filter, { groups, depth }).slice(page.offset)
      : walkTime(reader, filter, { groups, page });
  return { items: readAll(reader, ids), total };
}

function findGroups(reader: Connection, filter: ExecutionFilter): readonly Group[] {
  const where = new Where()
    .and("total > 0")
    .and("read_level <= ?", ACCESS_LEVELS.indexOf(filter.level))
    .andInScope("site_id", filter.scope);
  if (filter.siteId !== undefined) where.and("site_id = ?", filter.siteId);
  if (filter.retention !== "ALL") where.and("ephemeral = ?", filter.retention === "EPHEMERAL" ? 1 : 0);
  where.andIn("device_id", filter.deviceIds).andIn("state", filter.states);
  if (filter.names !== undefined) {
    const names = listed(filter.names);
    where.and(
      "(name IN (SELECT value FROM json_each(?)) OR manifest_name IN (SELECT value FROM json_each(?)))",
      names,
      names,
    );
  }
  return reader
    .all(`SELECT id, total, ephemeral FROM execution_group${where.sql}`, ...where.values)
    .map((row) => ({ id: number(row, "id"), total: number(row, "total"), ephemeral: row["ephemeral"] === 1 }));
}

function boundsOf(filter: ExecutionFilter, ephemeral: boolean): Bounds {
  if (!ephemeral) return { since: filter.since, before: filter.before };
  const alive = filter.now - EPHEMERAL_LIFETIME_MS + 1;
  return { since: Math.max(filter.since ?? alive, alive), before: filter.before };
}

function countGroups(reader: Connection, groups: readonly Group[], { since, before }: Bounds): number {
  if (groups.length === 0) return 0;
  if (since === undefined && before === undefined) return groups.reduce((sum, group) => sum + group.total, 0);
  if (since !== undefined && before !== undefined && since >= before) return 0;
  const ids = JSON.stringify(groups.map((group) => group.id));
  const firstHour = since === undefined ? undefined : Math.ceil(since / HOUR_MS);
  const lastHour = before === undefined ? undefined : Math.floor(before / HOUR_MS);
  // Less than a whole hour inside: only the edges remain, and they are one stretch.
  if (firstHour !== undefined && lastHour !== undefined && firstHour >= lastHour) {
    return countRange(reader, ids, { since, before });
  }
  const hours = new Where().and("group_id IN (SELECT value FROM json_each(?))", ids);
  if (firstHour !== undefined) hours.and("hour >= ?", firstHour);
  if (lastHour !== undefined) hours.and("hour < ?", lastHour);
  const row = reader.get(`SELECT coalesce(sum(count), 0) AS total FROM execution_hour${hours.sql}`, ...hours.values);
  const whole = row === undefined ? 0 : number(row, "total");
  const head = firstHour === undefined ? 0 : countRange(reader, ids, { since, before: firstHour * HOUR_MS });
  const tail = lastHour === undefined ? 0 : countRange(reader, ids, { since: lastHour * HOUR_MS, before });
  return whole + head + tail;
}

function countRange(reader: Connection, ids: string, { since, before }: Bounds): number {
  if (since === before) return 0;
  const where = new Where().and("group_id IN (SELECT value FROM json_each(?))", ids);
  andBetween(where, { since, before });
  const row = reader.get(`SELECT count(*) AS total FROM execution${where.sql}`, ...where.values);
  return row === undefined ? 0 : number(row, "total");
}

/** The first `depth` ids of all groups together, in order. */
function mergeGroups(
  reader: Connection,
  filter: ExecutionFilter,
  { groups, depth }: { readonly groups: readonly Group[]; readonly depth: number },
): readonly string[] {
  const rows: Row[] = [];
  for (const group of groups) {
    const where = new Where().and("group_id = ?", group.id);
    andBetween(where, boundsOf(filter, group.ephemeral));
    rows.push(
      ...reader.all(
        `SELECT id, created_at FROM execution${where.sql} ORDER BY ${order(filter)} LIMIT ?`,
        ...where.values,
        depth,
      ),
    );
  }
  const sign = filter.newestFirst ? -1 : 1;
  rows.sort((a, b) => {
    const byTime = number(a, "created_at") - number(b, "created_at");
    return sign * (byTime !== 0 ? byTime : text(a, "id") < text(b, "id") ? -1 : 1);
  });
  return rows.slice(0, depth).map((row) => text(row, "id"));
}

function walkTime(
  reader: Connection,
  filter: ExecutionFilter,
  { groups, page }: { readonly groups: readonly Group[]; readonly page: PageRequest },
): readonly string[] {
  const idsOf = (ephemeral: boolean) =>
    JSON.stringify(groups.filter((group) => group.ephemeral === ephemeral).map((group) => group.id));
  const [device, ...otherDevices] = filter.deviceIds ?? [];
  const where = new Where();
  if (device !== undefined && otherDevices.length === 0) where.and("device_id = ?", device);
  else if (filter.siteId !== undefined) where.and("site_id = ?", filter.siteId);
  andBetween(where, boundsOf(filter, false));
  where.and(
    `(group_id IN (SELECT value FROM json_each(?))
      OR (group_id IN (SELECT value FROM json_each(?)) AND created_at > ?))`,
    idsOf(false),
    idsOf(true),
    filter.now - EPHEMERAL_LIFETIME_MS,
  );
  const rows = reader.all(
    `SELECT id FROM execution${where.sql} ORDER BY ${order(filter)} LIMIT ? OFFSET ?`,
    ...where.values,
    page.limit,
    page.offset,
  );
  return rows.map((row) => text(row, "id"));
}

function readAll(reader: Connection, ids: readonly string[]): readonly Execution[] {
  const rows = reader.all(
    `SELECT ${EXECUTION_COLUMNS} FROM ${EXECUTION_FROM} WHERE e.id IN (SELECT value FROM json_each(?))`,
    listed(ids),
  );
  const byId = new Map(rows.map((row) => [text(row, "id"), readExecution(row)]));
  return ids.map((id) => byId.get(id)).filter((execution) => execution !== undefined);
}

function andBetween(where: Where, { since, before }: Bounds): void {
  if (since !== undefined) where.and("created_at >= ?", since);
  if (before !== undefined) where.and("created_at < ?", before);
}

function order({ newestFirst }: ExecutionFilter): string {
  return newestFirst ? "created_at DESC, id DESC" : "created_at, id";
}
