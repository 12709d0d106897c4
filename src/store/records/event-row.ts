// An event of an execution holds only what changed. The row of the execution has what never changes, and its log has the
// payload of the response, so nothing is stored twice.
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { type CommandResponse, EXECUTION_STATES, type Execution, RESPONSE_STATES } from "#core/command/execution.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { type BusbarEvent, DEVICE_CHANGES, STORED_KINDS } from "#core/event/event.ts";
import type { Instant } from "#core/time/instant.ts";
import type { StoredEvent } from "#service/ports/event-outbox.ts";
import type { Database, Row } from "#store/database.ts";
import { findExecutions, parseResponse } from "./execution-row.ts";
import { micros, number, oneOf, text, time } from "./row.ts";
import { isObject, readRow, storedJson } from "./stored-json.ts";

export const EVENT_COLUMNS = "position, at, kind, site_id, device_id, read_level, execution_id, data";

/** What the outbox of one machine keeps at most, about. */
export const OUTBOX_BYTES = 64 * 1_048_576;

/** The position of the newest event up to `settled`; 0 before the first. */
export async function latestPosition(database: Database, settled: number): Promise<number> {
  const sql = "SELECT coalesce(max(position), 0) AS latest FROM event WHERE position <= ?";
  return number(await database.one(sql, settled), "latest");
}

/** The bytes of all events ever stored. */
export async function latestTotal(database: Database): Promise<number> {
  const newest = await database.get("SELECT total FROM event ORDER BY position DESC LIMIT 1");
  return newest === undefined ? 0 : number(newest, "total");
}

/** The column `data`. */
export function renderEventData(event: BusbarEvent): string {
  if ("data" in event) return event.data;
  if ("change" in event) return JSON.stringify({ change: event.change });
  const { state, revision, deadline, isRemote, response } = event.execution;
  const answered = response === undefined ? null : response.receivedAt;
  return JSON.stringify({ state, revision, deadline, isRemote, answered, answer: response?.state });
}

/**
 * The events of these rows, undefined for those whose execution was deleted since. The executions are read together, so
 * that a database on a server is asked once.
 */
export async function parseEvents(
  database: Database,
  rows: readonly Row[],
  now: Instant,
): Promise<readonly (StoredEvent | undefined)[]> {
  const ids = new Set(rows.flatMap((row) => (row["execution_id"] === null ? [] : [text(row, "execution_id")])));
  const devices = rows.map((row) => text(row, "device_id"));
  const executions = ids.size === 0 ? NONE : await findExecutions(database, ids, devices);
  return await Promise.all(
    rows.map((row) => readRow(database, { table: "event", row }, () => parseEvent({ database, executions, now }, row))),
  );
}

const NONE: ReadonlyMap<string, Execution> = new Map();

interface Reading {
  readonly database: Database;
  readonly executions: ReadonlyMap<string, Execution>;
  readonly now: Instant;
}

async function parseEvent({ database, executions, now }: Reading, row: Row): Promise<StoredEvent | undefined> {
  const facts = {
    position: number(row, "position"),
    siteId: text(row, "site_id"),
    deviceId: text(row, "device_id"),
    readLevel: ACCESS_LEVELS[number(row, "read_level")] ?? "system",
    at: time(row, "at"),
  };
  const kind = oneOf(row, "kind", STORED_KINDS);
  const data = storedJson({ database, table: "event", row }, "data", isObject);
  if (data === undefined) return undefined;
  switch (kind) {
    case "execution": {
      const latest = executions.get(text(row, "execution_id"));
      const execution = latest && (await executionAfter(database, data, latest));
      const isGone = execution?.ephemeral === true && execution.createdAt + EPHEMERAL_LIFETIME_MS <= now;
      return execution === undefined || isGone ? undefined : { ...facts, kind, execution };
    }
    case "device":
      return { ...facts, kind, change: oneOf(data, "change", DEVICE_CHANGES) };
    case "alert":
    case "connectivity":
    case "configuration":
    case "change":
    case "bulk":
    case "notification":
      return { ...facts, kind, data: text(row, "data") };
  }
}

/** The execution as it was after the change. */
async function executionAfter(database: Database, change: Row, latest: Execution): Promise<Execution> {
  return {
    ...latest,
    state: oneOf(change, "state", EXECUTION_STATES),
    revision: number(change, "revision"),
    deadline: time(change, "deadline"),
    isRemote: change["isRemote"] === true,
    response: change["answered"] === null ? undefined : await responseOf(database, change, latest),
  };
}

/** A long log loses its oldest payloads; the state and the time of such a response remain. */
async function responseOf(
  database: Database,
  change: Row,
  { id, deviceId, response }: Execution,
): Promise<CommandResponse> {
  const receivedAt = micros(change, "answered");
  if (response?.receivedAt === receivedAt) return response;
  const table = "execution_response";
  const row = await database.get(
    `SELECT execution_id AS id, received_at, state, payload FROM ${table} WHERE execution_id = ? AND device_id = ? AND received_at = ?`,
    id,
    deviceId,
    receivedAt,
  );
  if (row !== undefined) return parseResponse({ database, table, row }, "state", "payload");
  return { state: oneOf(change, "answer", RESPONSE_STATES), payload: undefined, receivedAt };
}
