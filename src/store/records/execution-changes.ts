// What a link between two stores needs: reading the changes after a cursor, and applying the changes of an execution's
// owner.
import { refuse } from "#core/app-error.ts";
import type { CommandResponse, Execution, Micros } from "#core/command/execution.ts";
import { ENTRY_BYTES } from "#core/command/log-limits.ts";
import {
  type ExecutionChange,
  givenToOwner,
  lostByOwner,
  type Merge,
  mergeRemote,
  returnedByOwner,
  withoutSight,
} from "#core/command/remote-execution.ts";
import { executionEvent } from "#core/event/event.ts";
import type { ChangePage } from "#service/ports/execution-store.ts";
import type { Database, ReadDatabase, Row, WriteDatabase } from "#store/database.ts";
import type { StoredExecution } from "#store/write-memory.ts";
import { addEvent } from "./event-writes.ts";
import { enterGroup } from "./execution-group-writes.ts";
import {
  EXECUTION_COLUMNS,
  EXECUTION_FROM,
  findExecution,
  findStored,
  latestChange,
  parseExecution,
  parseResponse,
  renderPayload,
} from "./execution-row.ts";
import { remember, replace } from "./execution-writes.ts";
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
    `SELECT id, changed, octet_length(arguments) AS bytes, left_out, left_out_at FROM execution
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
  const execution = (await findExecution(database, id))?.execution;
  if (execution === undefined) throw new Error("it has no group");
  const rows = await database.all(
    `SELECT execution_id AS id, received_at, state, payload, coalesce(octet_length(payload), 0) + ${ENTRY_BYTES} AS bytes
     FROM execution_response WHERE execution_id = ? AND changed > ? ORDER BY received_at`,
    id,
    cursor,
  );
  const earlier = await database.get(
    "SELECT coalesce(max(revision), 0) AS since FROM execution_response WHERE execution_id = ? AND changed <= ?",
    id,
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

export const executionChangeWrites = {
  async applyRemoteExecution(database: WriteDatabase, { change }: { change: ExecutionChange }): Promise<Merge> {
    const { id, deviceId } = change.execution;
    const stored = await findKnown(database, id);
    const before = stored?.execution;
    if (before !== undefined && before.deviceId !== deviceId) {
      throw refuse("conflict", `execution ${id} is one of device ${before.deviceId}, not of ${deviceId}`);
    }
    const merge = mergeRemote(before, change);
    if (merge.kind === "known" || merge.execution === before) return merge;
    database.memory?.drop(id);
    // Most often there is no log yet, and then it is what comes with the change.
    const isFirst = (stored?.logBytes ?? 0) === 0 && change.leftOut === undefined;
    const log = isFirst && merge.kind === "applied" ? change.responses : [];
    const logged = log.reduce((sum, response) => sum + loggedBytes(response), 0);
    const number =
      stored === undefined
        ? await insertCopy(database, merge.execution, logged)
        : await replace(database, { stored, after: merge.execution, logged });
    for (const response of log) addResponse(database, change.execution, { response, change: number });
    if (isFirst) return merge;
    // The owner does not know what this side wrote into the log before the other side accepted the execution.
    if (before?.isRemote === false) await database.run("DELETE FROM execution_response WHERE execution_id = ?", id);
    if (merge.kind === "applied") await takeLog(database, change, number);
    return merge;
  },

  async loseSightOfExecution(database: WriteDatabase, { id }: { id: string }): Promise<Execution | undefined> {
    const stored = await findStored(database, id);
    const after = stored && withoutSight(stored.execution, stored.attempted);
    if (stored !== undefined && after !== undefined) await replace(database, { stored, after, logged: 0 });
    return after;
  },

  async endLostExecution(
    database: WriteDatabase,
    { id, loss }: { id: string; loss: { readonly at: Micros; readonly isReplaced: boolean } },
  ): Promise<Execution | undefined> {
    const stored = await findStored(database, id);
    const after = stored && lostByOwner(stored.execution, loss);
    if (stored === undefined || after === undefined) return undefined;
    const { response } = after;
    const change = await replace(database, { stored, after, logged: loggedBytes(response) });
    await putResponse(database, after, { response, change });
    return after;
  },

  async forgetRevisions(database: Database, { siteId }: { siteId: string }): Promise<void> {
    await database.run(
      `UPDATE execution SET revision = 0 WHERE site_id = ? AND is_remote = 1 AND group_id IN
         (SELECT id FROM execution_group WHERE site_id = ? AND state IN ('NEW', 'IN_PROGRESS', 'UNSYNC', 'TIMEOUT'))`,
      siteId,
      siteId,
    );
  },

  async giveExecutionToOwner(
    database: WriteDatabase,
    { id, isAnswered }: { id: string; isAnswered: boolean },
  ): Promise<Execution | undefined> {
    const stored = await findKnown(database, id);
    if (stored === undefined) return undefined;
    // The gateway may be gone since it has answered, and whoever noticed that did not see this execution as its own.
    const isInSight = isAnswered && !(await isOfGoneGateway(database, stored.execution.siteId));
    const after = givenToOwner(stored.execution, isInSight);
    if (after === undefined) return undefined;
    await replace(database, { stored, after, logged: 0 });
    remember(database, { ...stored, execution: after }, stored.logBytes);
    return after;
  },

  async takeExecutionFromOwner(database: WriteDatabase, { id }: { id: string }): Promise<Execution | undefined> {
    const stored = await findStored(database, id);
    const after = stored && returnedByOwner(stored.execution);
    if (stored === undefined || after === undefined) return undefined;
    await replace(database, { stored, after, logged: 0 });
    await database.run("UPDATE execution SET attempted = 0 WHERE id = ?", id);
    return after;
  },
};

/** Reads one execution as it is told to a side that knows nothing of it. */
export async function readWhole(database: Database, id: string): Promise<ExecutionChange | undefined> {
  const row = await database.get("SELECT id, left_out, left_out_at FROM execution WHERE id = ?", id);
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

async function isOfGoneGateway(database: Database, siteId: string): Promise<boolean> {
  const row = await database.get(
    "SELECT 1 AS found FROM site s JOIN gateway g ON g.id = s.gateway_id WHERE s.id = ? AND g.is_connected = 0",
    siteId,
  );
  return row !== undefined;
}

async function insertCopy(database: WriteDatabase, execution: Execution, logged: number): Promise<number> {
  if ((await database.get("SELECT 1 AS found FROM device WHERE id = ?", execution.deviceId)) === undefined) {
    throw refuse("device_not_found", `there is no device ${execution.deviceId}`);
  }
  const change = await database.nextChange();
  const shown = JSON.stringify(execution.request.arguments);
  const group = enterGroup(database, execution);
  // Marked as attempted because its owner hands it over: this side never does.
  database.send(
    `INSERT INTO execution (id, group_id, site_id, device_id, created_at, arguments, attempted, is_open, deadline, bytes,
       log_bytes, response_state, response_payload, received_at, revision, is_remote, changed)
     VALUES (?, ${group.sql}, ?, ?, ?, ?, 1, 0, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
    execution.id,
    ...group.values,
    execution.siteId,
    execution.deviceId,
    execution.createdAt,
    shown,
    execution.deadline,
    Buffer.byteLength(shown),
    logged,
    execution.response?.state ?? null,
    renderPayload(execution.response?.payload),
    execution.response?.receivedAt ?? null,
    execution.revision,
    change,
  );
  await addEvent(database, executionEvent(execution), change);
  return change;
}

/** The log becomes a copy of the owner's: new responses are added, and those that the owner dropped are removed. */
async function takeLog(
  database: WriteDatabase,
  { execution, responses, leftOut }: ExecutionChange,
  change: number,
): Promise<void> {
  for (const response of responses) await putResponse(database, execution, { response, change });
  if (leftOut !== undefined) {
    await database.run(
      "DELETE FROM execution_response WHERE execution_id = ? AND state = 'IN_PROGRESS' AND received_at <= ?",
      execution.id,
      leftOut.at,
    );
  }
  await database.run(
    `UPDATE execution SET left_out = ?, left_out_at = ?, log_bytes = (
       SELECT coalesce(sum(coalesce(octet_length(payload), 0) + ${ENTRY_BYTES}), 0) FROM execution_response
       WHERE execution_id = execution.id) WHERE id = ?`,
    leftOut?.count ?? 0,
    leftOut?.at ?? null,
    execution.id,
  );
}

interface Logged {
  readonly response: CommandResponse;
  readonly change: number;
}

/** An owner that has replaced its records may give the time of an earlier response to another one. */
async function putResponse(database: WriteDatabase, execution: Execution, logged: Logged): Promise<void> {
  const { response } = logged;
  await database.run(
    "DELETE FROM execution_response WHERE execution_id = ? AND received_at = ? AND (state <> ? OR payload IS DISTINCT FROM ?)",
    execution.id,
    response.receivedAt,
    response.state,
    renderPayload(response.payload),
  );
  addResponse(database, execution, logged);
}

function addResponse(
  database: WriteDatabase,
  { id, deviceId, revision }: Execution,
  { response, change }: Logged,
): void {
  database.send(
    `INSERT INTO execution_response (execution_id, device_id, received_at, state, payload, revision, changed)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    id,
    deviceId,
    response.receivedAt,
    response.state,
    renderPayload(response.payload),
    revision,
    change,
  );
}

function loggedBytes({ payload }: CommandResponse): number {
  return Buffer.byteLength(renderPayload(payload) ?? "") + ENTRY_BYTES;
}

/** As `findStored`, from memory where it is there. */
async function findKnown(database: WriteDatabase, id: string): Promise<StoredExecution | undefined> {
  return database.memory?.execution(id) ?? (await findStored(database, id));
}
