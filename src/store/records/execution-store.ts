import { type CommandResponse, type Execution, isOpen } from "#core/command/execution.ts";
import { ENTRY_BYTES, leftOutEntry, MAX_READ_BYTES, MAX_READ_ENTRIES, notReadEntry } from "#core/command/log-limits.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { ExecutionStore, NewExecution } from "#service/ports/execution-store.ts";
import type { Database, ReadDatabase } from "#store/database.ts";
import { findEarlier } from "./earlier-execution.ts";
import { readChanges, readOwnedElsewhere, readWhole } from "./execution-changes.ts";
import { findExecution, parseResponse, parseWaiting } from "./execution-row.ts";
import type { Lists } from "./lists.ts";
import { ofDevice } from "./of-devices.ts";
import { listed, micros, number, text } from "./row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

/** Approximate overhead in bytes of an execution or response, besides its arguments or payload. Measuring all of it costs more than the rest of handing it over. */
const REST_BYTES = 1_024;

const itself = (execution: Execution | undefined) => execution;

function bytesOf({ execution, sealed }: NewExecution): number {
  return REST_BYTES + approximateBytes(execution.request.arguments) + (sealed?.byteLength ?? 0);
}

export function createExecutionStore(reader: ReadDatabase, writer: Writer, lists: Lists): ExecutionStore {
  return {
    insert: async (input, trail) => {
      const earlier = await writer.run(
        "insertExecution",
        { input, trail },
        { bytes: bytesOf(input), changed: () => input.execution },
      );
      return earlier === undefined ? { execution: input.execution, isNew: true } : { execution: earlier, isNew: false };
    },
    earlier: (execution, idempotency) => findEarlier(reader, execution, idempotency),
    find: async (deviceId, id, now) => {
      const execution = (await findExecution(reader, id, deviceId))?.execution;
      if (execution === undefined) return undefined;
      return execution.ephemeral && execution.createdAt + EPHEMERAL_LIFETIME_MS <= now ? undefined : execution;
    },
    responses: async (id, deviceId) => {
      const log = await readLog(reader, id, deviceId);
      const own = ofDevice(reader, deviceId);
      const gap = await reader.get(
        `SELECT left_out, left_out_at FROM execution WHERE id = ?${own.sql} AND left_out > 0`,
        id,
        ...own.values,
      );
      if (gap === undefined) return log;
      const at = micros(gap, "left_out_at");
      const isNewer = (entry: CommandResponse) => entry.receivedAt > at;
      const entry = leftOutEntry(number(gap, "left_out"), at);
      return [...log.filter(isNewer), entry, ...log.filter((one) => !isNewer(one))];
    },
    list: (filter, page) => lists.executions(filter, page),
    markAttempted: (id, deviceId) => writer.run("markAttempted", { id, deviceId }),
    unmarkAttempted: (id, deviceId) => writer.run("unmarkAttempted", { id, deviceId }),
    record: (deviceId, id, arrival) =>
      writer.run(
        "recordResponse",
        { deviceId, id, arrival },
        { bytes: REST_BYTES + approximateBytes(arrival.payload), changed: itself },
      ),
    recordStartAndAnswer: (deviceId, id, both) =>
      writer.run(
        "recordStartAndAnswer",
        { deviceId, id, ...both },
        {
          bytes: REST_BYTES + approximateBytes(both.answer.payload),
          changed: ({ started, answered }, place) => (place === 0 ? (started ?? answered) : answered),
        },
      ),
    cancel: (deviceId, id, cancel) => writer.run("cancelExecution", { deviceId, id, cancel }, { changed: itself }),
    expire: (id, deadline, deviceId) => writer.run("expireExecution", { id, deadline, deviceId }, { changed: itself }),
    open: async ({ deviceId, dueBefore, after, limit }) => {
      const where = new Where().and("is_open = 1");
      if (deviceId !== undefined) where.and("device_id = ?", deviceId);
      if (dueBefore !== undefined) where.and("deadline <= ?", dueBefore);
      if (after !== undefined) {
        where.and("(device_id, created_at, id) > (?, ?, ?)", after.deviceId, after.createdAt, after.id);
      }
      const rows = await reader.all(
        `SELECT id, device_id, site_id, created_at, deadline, attempted, bytes FROM execution${where.sql}
         ORDER BY device_id, created_at, id LIMIT ?`,
        ...where.values,
        limit,
      );
      return readRows(reader, { table: "execution", rows }, parseWaiting);
    },
    devicesWaiting: async (deviceIds) => {
      const rows = await reader.all(
        `SELECT DISTINCT device_id FROM execution
         WHERE is_open = 1 AND attempted = 0 AND device_id IN (SELECT value FROM json_each(?))`,
        listed(deviceIds),
      );
      return new Set(rows.map((row) => text(row, "device_id")));
    },
    toSend: async (id, deviceId) => {
      const found = await findExecution(reader, id, deviceId);
      return found !== undefined && isOpen(found.execution.state) && !found.execution.isRemote ? found : undefined;
    },
    changesAfter: async (cursor, limit, upTo = Number.MAX_SAFE_INTEGER) =>
      await readChanges(reader, { cursor, limit, upTo }),
    applyRemote: (change) =>
      writer.run(
        "applyRemoteExecution",
        { change },
        { changed: (merge) => (merge.kind === "known" ? undefined : merge.execution) },
      ),
    loseSight: (id) => writer.run("loseSightOfExecution", { id }, { changed: itself }),
    giveToOwner: (id, isAnswered, deviceId) =>
      writer.run("giveExecutionToOwner", { id, isAnswered, deviceId }, { changed: itself }),
    endLost: (id, loss) => writer.run("endLostExecution", { id, loss }, { changed: itself }),
    forgetRevisions: (siteId) => writer.run("forgetRevisions", { siteId }),
    takeFromOwner: (id, deviceId) => writer.run("takeExecutionFromOwner", { id, deviceId }, { changed: itself }),
    ownedElsewhere: (siteId, after, limit) => readOwnedElsewhere(reader, siteId, { after, limit }),
    whole: (id) => readWhole(reader, id),
    sweep: (now) => writer.run("sweepExecutions", { now }),
  };
}

/** Newest first, and no more than may be in memory at once: sizes are checked before payloads are read. */
async function readLog(
  reader: Database,
  id: string,
  deviceId: string | undefined,
): Promise<readonly CommandResponse[]> {
  const own = ofDevice(reader, deviceId);
  const sizes = await reader.all(
    `SELECT received_at, coalesce(octet_length(payload), 0) + ${ENTRY_BYTES} AS bytes FROM execution_response
     WHERE execution_id = ?${own.sql} ORDER BY received_at DESC LIMIT ${MAX_READ_ENTRIES + 1}`,
    id,
    ...own.values,
  );
  let bytes = 0;
  const firstBeyond = sizes.findIndex((row, index) => {
    bytes += number(row, "bytes");
    return index >= MAX_READ_ENTRIES || bytes > MAX_READ_BYTES;
  });
  const newestLeft = firstBeyond === -1 ? undefined : sizes[firstBeyond];
  const beyond = newestLeft && micros(newestLeft, "received_at");
  const rows = await reader.all(
    `SELECT execution_id AS id, received_at, state, payload FROM execution_response
     WHERE execution_id = ?${own.sql} AND received_at > ? ORDER BY received_at DESC`,
    id,
    ...own.values,
    beyond ?? -1,
  );
  const table = "execution_response";
  const log = readRows(reader, { table, rows }, (row) =>
    parseResponse({ database: reader, table, row }, "state", "payload"),
  );
  return beyond === undefined ? log : [...log, notReadEntry(beyond)];
}
