import { doorOf } from "#core/access/door.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import {
  type CommandResponse,
  EXECUTION_STATES,
  type Execution,
  type ExecutionCaller,
  type Payload,
  RESPONSE_STATES,
} from "#core/command/execution.ts";
import type { OpenExecution, WaitingExecution } from "#service/ports/execution-store.ts";
import type { DamageLog, Database, Row } from "#store/database.ts";
import type { StoredExecution } from "#store/write-memory.ts";
import { ofDevices } from "./of-devices.ts";
import { listed, micros, number, oneOf, optionalBytes, text, time } from "./row.ts";
import { isObject, isTexts, readRows, type StoredRow, storedJson } from "./stored-json.ts";

export const EXECUTION_COLUMNS = `e.id, e.group_id, e.site_id, e.device_id, e.created_at, e.arguments, e.sealed, e.attempted,
  e.deadline, e.response_state, e.response_payload, e.received_at, e.revision, e.is_remote, e.caller, e.bulk_id, g.name, g.manifest_name, g.state, g.ephemeral, g.read_level`;
/** An execution and its group have the same device, and so are on one server where devices are spread over several. */
export const EXECUTION_FROM = "execution e JOIN execution_group g ON g.id = e.group_id AND g.device_id = e.device_id";

/** Replaces arguments that cannot be read. */
const UNREADABLE: Payload = {};

/** The number of the latest change of all executions up to `settled`, deleted ones included. One step into an index. */
export async function latestChange(database: Database, settled: number): Promise<number> {
  const row = await database.one(
    `SELECT coalesce(max(latest), 0) AS latest FROM (
       SELECT max(changed) AS latest FROM execution WHERE changed <= ?
       UNION ALL SELECT deleted FROM execution_change) AS numbers`,
    settled,
  );
  return number(row, "latest");
}

/** Where the device is known, only what is stored of it is asked. */
export async function findExecution(
  database: Database,
  id: string,
  deviceId?: string,
): Promise<OpenExecution | undefined> {
  const row = await selectOne(database, EXECUTION_COLUMNS, { id, deviceId, isLocked: false });
  return row && parseOpenExecution(database, row);
}

async function selectOne(
  database: Database,
  columns: string,
  {
    id,
    deviceId,
    isLocked,
  }: { readonly id: string; readonly deviceId: string | undefined; readonly isLocked: boolean },
): Promise<Row | undefined> {
  const sql = `SELECT ${columns} FROM ${EXECUTION_FROM} WHERE e.id = ?`;
  if (deviceId === undefined) return await database.get(sql, id);
  // Whoever changed it last may still have to commit on the server that has it. Its lock lasts until then.
  const lock = isLocked && database.spread !== undefined ? " FOR UPDATE OF e" : "";
  return await database.get(`${sql} AND e.device_id = ?${lock}`, id, deviceId);
}

/** Those of them that exist and can be read, by id. */
export async function findExecutions(
  database: Database,
  ids: Iterable<string>,
  devices: Iterable<string>,
): Promise<ReadonlyMap<string, Execution>> {
  const own = ofDevices(database, devices, "e.device_id");
  const rows = await database.all(
    `SELECT ${EXECUTION_COLUMNS} FROM ${EXECUTION_FROM} WHERE e.id IN (SELECT value FROM json_each(?))${own.sql}`,
    listed(ids),
    ...own.values,
  );
  const found = readRows(database, { table: "execution", rows }, (row) => parseExecution(database, row));
  return new Map(found.map((execution) => [execution.id, execution]));
}

export async function findStored(
  database: Database,
  id: string,
  deviceId?: string,
): Promise<StoredExecution | undefined> {
  const device = deviceId ?? (database.spread && (await deviceOf(database, id)));
  const read = () =>
    selectOne(database, `${EXECUTION_COLUMNS}, e.bytes, e.log_bytes`, { id, deviceId: device, isLocked: true });
  let row = await read();
  if (row === undefined && database.spread !== undefined) {
    await database.spread.settle();
    row = await read();
  }
  if (row === undefined) return undefined;
  return {
    ...parseOpenExecution(database, row),
    groupId: number(row, "group_id"),
    bytes: number(row, "bytes"),
    logBytes: number(row, "log_bytes"),
  };
}

async function deviceOf(database: Database, id: string): Promise<string | undefined> {
  const row = await database.get("SELECT device_id FROM execution WHERE id = ?", id);
  return row && text(row, "device_id");
}

export function parseWaiting(row: Row): WaitingExecution {
  return {
    id: text(row, "id"),
    deviceId: text(row, "device_id"),
    siteId: text(row, "site_id"),
    createdAt: time(row, "created_at"),
    deadline: time(row, "deadline"),
    attempted: row["attempted"] === 1,
    bytes: number(row, "bytes"),
  };
}

function parseOpenExecution(database: DamageLog, row: Row): OpenExecution {
  const execution = parseExecution(database, row);
  return {
    execution,
    attempted: row["attempted"] === 1,
    isUnreadable: execution.request.arguments === UNREADABLE,
    sealed: optionalBytes(row, "sealed"),
  };
}

function parseCaller(database: DamageLog, row: Row): ExecutionCaller | undefined {
  if (row["caller"] === null) return undefined;
  const [tokenId, name, scheduleId, door] = storedJson({ database, table: "execution", row }, "caller", isTexts) ?? [];
  return tokenId === undefined || name === undefined
    ? undefined
    : { tokenId, name, scheduleId: scheduleId === "" ? undefined : scheduleId, door: doorOf(door) };
}

/** Texts: the id of a schedule is empty where none has called. */
export const storedCaller = (caller: ExecutionCaller | undefined): string | null => {
  if (caller === undefined) return null;
  const { tokenId, name, scheduleId = "", door } = caller;
  return JSON.stringify([tokenId, name, scheduleId, ...(door === undefined ? [] : [door])]);
};

export function parseExecution(database: DamageLog, row: Row): Execution {
  const from = { database, table: "execution", row };
  return {
    id: text(row, "id"),
    deviceId: text(row, "device_id"),
    siteId: text(row, "site_id"),
    state: oneOf(row, "state", EXECUTION_STATES),
    ephemeral: row["ephemeral"] === 1,
    createdAt: time(row, "created_at"),
    request: {
      name: text(row, "name"),
      manifestName: text(row, "manifest_name"),
      arguments: storedJson(from, "arguments", isObject) ?? UNREADABLE,
    },
    response: row["response_state"] === null ? undefined : parseResponse(from, "response_state", "response_payload"),
    readLevel: ACCESS_LEVELS[number(row, "read_level")] ?? "system",
    deadline: time(row, "deadline"),
    revision: number(row, "revision"),
    isRemote: row["is_remote"] === 1,
    caller: parseCaller(database, row),
    ...(row["bulk_id"] !== null && { bulkId: text(row, "bulk_id") }),
  };
}

export function parseResponse(from: StoredRow, state: string, payload: string): CommandResponse {
  const { row } = from;
  return {
    state: oneOf(row, state, RESPONSE_STATES),
    payload: row[payload] === null ? undefined : storedJson(from, payload, isObject),
    receivedAt: micros(row, "received_at"),
  };
}

export function renderPayload(payload: Payload | undefined): string | null {
  return payload === undefined ? null : JSON.stringify(payload);
}
