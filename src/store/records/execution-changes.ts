// What a link between two stores needs to read: the changes of executions after a cursor.
import type { Execution } from "#core/command/execution.ts";
import { ENTRY_BYTES } from "#core/command/log-limits.ts";
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import type { ChangePage } from "#service/ports/execution-store.ts";
import type { Database, ReadDatabase, Row } from "#store/database.ts";
import {
  EXECUTION_COLUMNS,
  EXECUTION_FROM,
  findExecution,
  latestChange,
  parseExecution,
  parseResponse,
} from "./execution-row.ts";
import { micros, number, text } from "./row.ts";
import { readRow, readRows } from "./stored-json.ts";

const MAX_PAGE = 1_000;
/** A page ends with the change that reaches this. */
const PAGE_BYTES = 1_048_576;

interface PageBounds {
  readonly cursor: number;
  readonly limit: number;
  readonly upTo: number;
}

export function readChanges(reader: ReadDatabase, bounds: PageBounds): Promise<ChangePage> {
  return reader.snapshot((database) => readPage(database, bounds));
}

async function readPage(database: ReadDatabase, { cursor, limit, upTo }: PageBounds): Promise<ChangePage> {
  const settled = Math.min(await database.settledChange(), upTo);
  const rows = await database.all(
    `SELECT id, device_id, changed, octet_length(arguments) AS bytes, left_out, left_out_at FROM execution
     WHERE changed > ? AND changed <= ? ORDER BY changed LIMIT ?`,
    cursor,
    settled,
    Math.min(limit, MAX_PAGE),
  );
  const changes: ExecutionChange[] = [];
  let next = cursor;
  let bytes = 0;
  for (const row of rows) {
    if (bytes >= PAGE_BYTES) break;
    next = number(row, "changed");
    const found = await readRow(database, { table: "execution", row }, () => readChange(database, row, cursor));
    if (found === undefined) continue;
    bytes += number(row, "bytes") + found.logBytes;
    changes.push(found.change);
  }
  return { changes, next, latest: await latestChange(database, settled) };
}

async function readChange(database: Database, row: Row, cursor: number) {
  const id = text(row, "id");
  const found = (await findExecution(database, id, text(row, "device_id")))?.execution;
  if (found === undefined) throw new Error("it has no group");
  const { bulkId: _, ...execution } = found;
  const { deviceId } = execution;
  const rows = await database.all(
    `SELECT execution_id AS id, received_at, state, payload, coalesce(octet_length(payload), 0) + ${ENTRY_BYTES} AS bytes
     FROM execution_response WHERE execution_id = ? AND device_id = ? AND changed > ? ORDER BY received_at`,
    id,
    deviceId,
    cursor,
  );
  const earlier = await database.get(
    "SELECT coalesce(max(revision), 0) AS since FROM execution_response WHERE execution_id = ? AND device_id = ? AND changed <= ?",
    id,
    deviceId,
    cursor,
  );
  const table = "execution_response";
  const responses = readRows(database, { table, rows }, (one) =>
    parseResponse({ database, table, row: one }, "state", "payload"),
  );
  const count = number(row, "left_out");
  const change: ExecutionChange = {
    execution,
    responses,
    since: earlier === undefined ? 0 : number(earlier, "since"),
    leftOut: count === 0 ? undefined : { count, at: micros(row, "left_out_at") },
  };
  return { change, logBytes: rows.reduce((sum, one) => sum + number(one, "bytes"), 0) };
}

/** Reads one execution as it is sent to a side that knows nothing of it. */
export async function readWhole(database: Database, id: string): Promise<ExecutionChange | undefined> {
  const row = await database.get("SELECT id, device_id, left_out, left_out_at FROM execution WHERE id = ?", id);
  if (row === undefined) return undefined;
  return (await readRow(database, { table: "execution", row }, () => readChange(database, row, 0)))?.change;
}

export async function readOwnedElsewhere(
  database: Database,
  siteId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly Execution[]> {
  const rows = await database.all(
    `SELECT ${EXECUTION_COLUMNS} FROM ${EXECUTION_FROM}
     WHERE g.site_id = ? AND g.state IN ('NEW', 'IN_PROGRESS', 'UNSYNC') AND (e.is_remote = 1 OR e.attempted = 1)
       AND e.id > ?
     ORDER BY e.id LIMIT ?`,
    siteId,
    after,
    limit,
  );
  return readRows(database, { table: "execution", rows }, (row) => parseExecution(database, row));
}
