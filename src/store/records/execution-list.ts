// How a page of executions is read. What is read grows with the page and the number of groups, not with the number of
// executions. The plan is `readPage`:
// 1. execution-groups.ts: find the groups that the filter leaves, and the bounds of time of their executions.
// 2. execution-counters.ts: count what matches, by the counters of groups, days and hours.
// 3. Walk from the end that is nearer to the page.
// 4. execution-counters.ts: skip whole days and hours that lie before the page.
// 5. execution-merge.ts: take the ids of the page in their order.
// 6. Read those executions, as many as may be read at once.
import type { Execution } from "#core/command/execution.ts";
import type { ExecutionFilter } from "#service/ports/execution-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Database, ReadDatabase } from "#store/database.ts";
import { countExecutions, skipTime } from "./execution-counters.ts";
import { findGroups, type Group, hasFewGroups, isUnbounded, sharesOf } from "./execution-groups.ts";
import { mergeGroups, type Wanted, walkSite } from "./execution-merge.ts";
import { EXECUTION_COLUMNS, EXECUTION_FROM, parseExecution } from "./execution-row.ts";
import { ofDevices } from "./of-devices.ts";
import { listed, number, text } from "./row.ts";
import { readRows } from "./stored-json.ts";

/** Beyond this many groups it pays to check first whether they make up most of the site. */
const MANY_GROUPS = 200;

/** Executions that a list may touch on the main thread. */
const FEW_EXECUTIONS = 1_000;

/** How many bytes of executions are read at once: about a millisecond of the main thread. */
const AT_ONCE_BYTES = 64 * 1024;
/** Bytes of an execution besides its arguments and its response. */
const SELF_BYTES = 256;

export interface ListedExecutions extends Page<Execution> {
  /** Ids of the executions that follow the items, in parts that may be read at once. */
  readonly rest: readonly (readonly string[])[];
}

/** Reads from one snapshot: otherwise an execution that moves between groups meanwhile would be in both or in none. */
export function listExecutions(
  database: ReadDatabase,
  filter: ExecutionFilter,
  page: PageRequest,
): Promise<ListedExecutions> {
  return database.snapshot(async (reader) =>
    readPage(reader, { filter, page, groups: await findGroups(reader, filter) }),
  );
}

/** The same if it touches few groups and few executions, otherwise undefined. */
export function listFewExecutions(
  database: ReadDatabase,
  filter: ExecutionFilter,
  page: PageRequest,
): Promise<ListedExecutions | undefined> {
  return database.snapshot(async (reader) => {
    if (!(await hasFewGroups(reader, filter))) return undefined;
    const groups = await findGroups(reader, filter);
    return isShort(groups, filter, page) ? await readPage(reader, { filter, page, groups }) : undefined;
  });
}

/** Counting by counters touches no executions, and a page near either end only its own. */
function isShort(groups: readonly Group[], filter: ExecutionFilter, page: PageRequest): boolean {
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  if (total <= FEW_EXECUTIONS) return true;
  const isCounted = sharesOf(groups, filter).every(isUnbounded);
  return isCounted && Math.min(page.offset, total - page.offset) <= FEW_EXECUTIONS;
}

interface Reading {
  readonly filter: ExecutionFilter;
  readonly page: PageRequest;
  readonly groups: readonly Group[];
}

async function readPage(reader: Database, { filter, page, groups }: Reading): Promise<ListedExecutions> {
  const shares = sharesOf(groups, filter);
  const total = await countExecutions(reader, shares);
  const walk = nearerEnd(filter, page, total);
  if (walk.count <= 0) return { items: [], rest: [], total };
  const start = await skipTime(reader, { shares, offset: walk.offset }, walk.newestFirst);
  const wanted = { shares: start.shares, depth: start.offset + walk.count, newestFirst: walk.newestFirst };
  const ids = (await firstIds(reader, wanted, { filter, groups })).slice(start.offset);
  const devices = groups.map(({ deviceId }) => deviceId);
  return { ...(await readSome(reader, walk.isFlipped ? ids.toReversed() : ids, devices)), total };
}

interface Walk {
  readonly newestFirst: boolean;
  /** How many to skip, and how many to take, in this direction. */
  readonly offset: number;
  readonly count: number;
  /** Against the order that was asked for. */
  readonly isFlipped: boolean;
}

/** A page in the later half is nearer to the other end. */
function nearerEnd({ newestFirst }: ExecutionFilter, page: PageRequest, total: number): Walk {
  const count = Math.min(page.limit, total - page.offset);
  const after = total - page.offset - count;
  const isFlipped = after < page.offset;
  return { newestFirst: newestFirst !== isFlipped, offset: isFlipped ? after : page.offset, count, isFlipped };
}

async function firstIds(
  reader: Database,
  wanted: Wanted,
  { filter, groups }: Omit<Reading, "page">,
): Promise<readonly string[]> {
  const walked =
    groups.length > MANY_GROUPS && filter.siteId !== undefined
      ? await walkSite(reader, filter.siteId, wanted)
      : undefined;
  return walked ?? (await mergeGroups(reader, wanted));
}

/** The executions of the first part, and only the ids of the others. */
async function readSome(
  reader: Database,
  ids: readonly string[],
  devices: readonly string[],
): Promise<Pick<ListedExecutions, "items" | "rest">> {
  const own = ofDevices(reader, devices);
  const rows = await reader.all(
    `SELECT id, octet_length(arguments) + coalesce(octet_length(response_payload), 0) AS bytes FROM execution
     WHERE id IN (SELECT value FROM json_each(?))${own.sql}`,
    listed(ids),
    ...own.values,
  );
  const sizes = new Map(rows.map((row) => [text(row, "id"), number(row, "bytes")]));
  const [first = [], ...rest] = partsOf(ids, (id) => SELF_BYTES + (sizes.get(id) ?? 0));
  return { items: await readExecutions(reader, first), rest };
}

/** Each as large as may be read at once. What is larger than that is a part of its own. */
function partsOf(ids: readonly string[], sizeOf: (id: string) => number): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let left = 0;
  for (const id of ids) {
    const size = sizeOf(id);
    if (size > left) {
      parts.push([]);
      left = AT_ONCE_BYTES;
    }
    left -= size;
    parts.at(-1)?.push(id);
  }
  return parts;
}

/** The rest of a page, read when it is asked for. Rows that were deleted meanwhile are skipped. */
export async function* readRest(reader: Database, parts: ListedExecutions["rest"]): AsyncGenerator<Execution> {
  for (const ids of parts) yield* await readExecutions(reader, ids);
}

/** The executions that exist and can be read, in this order. */
async function readExecutions(reader: Database, ids: readonly string[]): Promise<readonly Execution[]> {
  const rows = await reader.all(
    `SELECT ${EXECUTION_COLUMNS} FROM ${EXECUTION_FROM} WHERE e.id IN (SELECT value FROM json_each(?))`,
    listed(ids),
  );
  const executions = readRows(reader, { table: "execution", rows }, (row) => parseExecution(reader, row));
  const byId = new Map(executions.map((execution) => [execution.id, execution]));
  return ids.map((id) => byId.get(id)).filter((execution) => execution !== undefined);
}
