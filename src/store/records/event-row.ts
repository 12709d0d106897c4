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
import { listed, micros, number, oneOf, text, time } from "./row.ts";
import { isObject, readRows, storedJson } from "./stored-json.ts";

export const EVENT_COLUMNS = "position, at, kind, site_id, device_id, read_level, execution_id, data";

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
 * The events of these rows, undefined for those whose execution was deleted since. All executions are read together, and then
 * all responses, so that a database on a server is asked twice at most.
 */
export async function parseEvents(
  database: Database,
  rows: readonly Row[],
  now: Instant,
): Promise<readonly (StoredEvent | undefined)[]> {
  const ids = new Set(rows.flatMap((row) => (row["execution_id"] === null ? [] : [text(row, "execution_id")])));
  const executions = ids.size === 0 ? NONE : await findExecutions(database, ids);
  /** Undefined for a row that cannot be read. */
  const each = <Item>(read: (row: Row, index: number) => Item) =>
    rows.map((row, index) => readRows(database, { table: "event", rows: [row] }, (one) => read(one, index))[0]);
  const contents = each((row) => storedJson({ database, table: "event", row }, "data", isObject));
  const earlier = rows.flatMap((row, index) => {
    const latest = executions.get(String(row["execution_id"]));
    const at = contents[index]?.["answered"];
    return latest === undefined || typeof at !== "number" || latest.response?.receivedAt === at
      ? []
      : [{ id: latest.id, at }];
  });
  const responses = earlier.length === 0 ? NO_RESPONSES : await findResponses(database, earlier);
  return each((row, index) => {
    const data = contents[index];
    return data && parseEvent({ executions, responses, now }, row, data);
  });
}

const NONE: ReadonlyMap<string, Execution> = new Map();
const NO_RESPONSES: Responses = new Map();

interface Reading {
  readonly executions: ReadonlyMap<string, Execution>;
  readonly responses: Responses;
  readonly now: Instant;
}

function parseEvent({ executions, responses, now }: Reading, row: Row, data: Row): StoredEvent | undefined {
  const facts = {
    position: number(row, "position"),
    siteId: text(row, "site_id"),
    deviceId: text(row, "device_id"),
    readLevel: ACCESS_LEVELS[number(row, "read_level")] ?? "system",
    at: time(row, "at"),
  };
  const kind = oneOf(row, "kind", STORED_KINDS);
  switch (kind) {
    case "execution": {
      const latest = executions.get(text(row, "execution_id"));
      const execution = latest && executionAfter(data, latest, responses);
      const isGone = execution?.ephemeral === true && execution.createdAt + EPHEMERAL_LIFETIME_MS <= now;
      return execution === undefined || isGone ? undefined : { ...facts, kind, execution };
    }
    case "device":
      return { ...facts, kind, change: oneOf(data, "change", DEVICE_CHANGES) };
    case "alert":
    case "connectivity":
    case "configuration":
    case "change":
      return { ...facts, kind, data: text(row, "data") };
  }
}

/** The execution as it was after the change. */
function executionAfter(change: Row, latest: Execution, responses: Responses): Execution {
  return {
    ...latest,
    state: oneOf(change, "state", EXECUTION_STATES),
    revision: number(change, "revision"),
    deadline: time(change, "deadline"),
    isRemote: change["isRemote"] === true,
    response: change["answered"] === null ? undefined : responseOf(change, latest, responses),
  };
}

/** A long log loses its oldest payloads; the state and the time of such a response remain. */
function responseOf(change: Row, { id, response }: Execution, responses: Responses): CommandResponse {
  const receivedAt = micros(change, "answered");
  if (response?.receivedAt === receivedAt) return response;
  const state = oneOf(change, "answer", RESPONSE_STATES);
  return responses.get(keyOf({ id, at: receivedAt })) ?? { state, payload: undefined, receivedAt };
}

/** By execution and time. */
type Responses = ReadonlyMap<string, CommandResponse>;

interface Answered {
  readonly id: string;
  readonly at: number;
}

const keyOf = ({ id, at }: Answered) => `${id} ${at}`;

async function findResponses(database: Database, wanted: readonly Answered[]): Promise<Responses> {
  const table = "execution_response";
  const rows = await database.all(
    `SELECT execution_id AS id, received_at, state, payload FROM ${table}
     WHERE execution_id IN (SELECT value FROM json_each(?))
       AND received_at IN (SELECT CAST(value AS INTEGER) FROM json_each(?))`,
    listed(new Set(wanted.map(({ id }) => id))),
    JSON.stringify(wanted.map(({ at }) => at)),
  );
  const found = readRows(database, { table, rows }, (row) => {
    const response = parseResponse({ database, table, row }, "state", "payload");
    return [keyOf({ id: text(row, "id"), at: response.receivedAt }), response] as const;
  });
  return new Map(found);
}
