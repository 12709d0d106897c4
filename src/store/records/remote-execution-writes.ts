// What a link between two stores changes: the executions that the other side owns, owned or will own.
import { refuse } from "#core/app-error.ts";
import type { CommandResponse, Execution, Micros } from "#core/command/execution.ts";
import { ENTRY_BYTES } from "#core/command/log-limits.ts";
import {
  type ExecutionChange,
  givenToOwner,
  lostByOwner,
  mergeRemote,
  returnedByOwner,
  withoutSight,
} from "#core/command/remote-execution.ts";
import { executionEvent } from "#core/event/event.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import type { StoredExecution } from "#store/write-memory.ts";
import { addEvent } from "./event-writes.ts";
import { enterGroup, groupValues, insertInto } from "./execution-group-writes.ts";
import { findStored, renderPayload, storedCaller } from "./execution-row.ts";
import { OF_EXECUTION, remember, replace, type Whose } from "./execution-writes.ts";
import { deviceLock, NOBODY, write } from "./write.ts";

export const remoteExecutionWrites = {
  applyRemoteExecution: write({
    locks: ({ change }) => deviceLock(change.execution.deviceId),
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(database: WriteDatabase, { change }: { change: ExecutionChange }) {
      const { id, deviceId } = change.execution;
      const stored = await findKnown(database, { id });
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
      if (before?.isRemote === false)
        await database.run("DELETE FROM execution_response WHERE execution_id = ? AND device_id = ?", id, deviceId);
      if (merge.kind === "applied") await takeLog(database, change, number);
      return merge;
    },
  }),

  loseSightOfExecution: write({
    ...OF_EXECUTION,
    async run(database: WriteDatabase, { id }: { id: string }) {
      const stored = await findStored(database, id);
      const after = stored && withoutSight(stored.execution, stored.attempted);
      if (stored !== undefined && after !== undefined) await replace(database, { stored, after, logged: 0 });
      return after;
    },
  }),

  endLostExecution: write({
    ...OF_EXECUTION,
    async run(
      database: WriteDatabase,
      { id, loss }: { id: string; loss: { readonly at: Micros; readonly isReplaced: boolean } },
    ) {
      const stored = await findStored(database, id);
      const after = stored && lostByOwner(stored.execution, loss);
      if (stored === undefined || after === undefined) return undefined;
      const { response } = after;
      const change = await replace(database, { stored, after, logged: loggedBytes(response) });
      await putResponse(database, after, { response, change });
      return after;
    },
  }),

  forgetRevisions: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { siteId }: { siteId: string }) {
      await database.run(
        `UPDATE execution SET revision = 0 WHERE site_id = ? AND is_remote = 1 AND group_id IN
           (SELECT id FROM execution_group WHERE site_id = ? AND state IN ('NEW', 'IN_PROGRESS', 'UNSYNC', 'TIMEOUT'))`,
        siteId,
        siteId,
      );
    },
  }),

  giveExecutionToOwner: write({
    ...OF_EXECUTION,
    keepsMemory: true,
    async run(database: WriteDatabase, { id, deviceId, isAnswered }: Whose & { isAnswered: boolean }) {
      const stored = await findKnown(database, { id, deviceId });
      if (stored === undefined) return undefined;
      // The gateway may be gone since it has answered, and whoever noticed that did not see this execution as its own.
      const isInSight = isAnswered && !(await isOfGoneGateway(database, stored.execution.siteId));
      const after = givenToOwner(stored.execution, isInSight);
      if (after === undefined) return undefined;
      await replace(database, { stored, after, logged: 0 });
      remember(database, { ...stored, execution: after }, stored.logBytes);
      return after;
    },
  }),

  takeExecutionFromOwner: write({
    ...OF_EXECUTION,
    async run(database: WriteDatabase, { id, deviceId }: Whose) {
      const stored = await findStored(database, id, deviceId);
      const after = stored && returnedByOwner(stored.execution);
      if (stored === undefined || after === undefined) return undefined;
      await replace(database, { stored, after, logged: 0 });
      const unmark = "UPDATE execution SET attempted = 0 WHERE id = ? AND device_id = ?";
      await database.run(unmark, id, after.deviceId);
      return after;
    },
  }),
};

async function isOfGoneGateway(database: Database, siteId: string): Promise<boolean> {
  const row = await database.get(
    "SELECT 1 AS found FROM site s JOIN gateway g ON g.id = s.gateway_id WHERE s.id = ? AND g.is_connected = 0",
    siteId,
  );
  return row !== undefined;
}

/** Of a copy. */
const COPY_COLUMNS =
  `id site_id created_at arguments attempted is_open deadline bytes log_bytes response_state response_payload
  received_at revision is_remote changed caller`.split(/\s+/);
const insertCopyText = insertInto("execution", COPY_COLUMNS);

async function insertCopy(database: WriteDatabase, execution: Execution, logged: number): Promise<number> {
  if ((await database.get("SELECT 1 AS found FROM device WHERE id = ?", execution.deviceId)) === undefined) {
    throw refuse("device_not_found", `there is no device ${execution.deviceId}`);
  }
  const change = await database.nextChange();
  const shown = JSON.stringify(execution.request.arguments);
  const group = enterGroup(database, execution);
  // Marked as attempted because its owner hands it over: this side never does.
  database.send(
    insertCopyText(group),
    execution.id,
    execution.siteId,
    execution.createdAt,
    shown,
    1,
    0,
    execution.deadline,
    Buffer.byteLength(shown),
    logged,
    execution.response?.state ?? null,
    renderPayload(execution.response?.payload),
    execution.response?.receivedAt ?? null,
    execution.revision,
    1,
    change,
    storedCaller(execution.caller),
    ...groupValues(group, execution),
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
      "DELETE FROM execution_response WHERE execution_id = ? AND device_id = ? AND state = 'IN_PROGRESS' AND received_at <= ?",
      execution.id,
      execution.deviceId,
      leftOut.at,
    );
  }
  await database.run(
    `UPDATE execution SET left_out = ?, left_out_at = ?, log_bytes = (
       SELECT coalesce(sum(coalesce(octet_length(payload), 0) + ${ENTRY_BYTES}), 0) FROM execution_response
       WHERE execution_id = ? AND device_id = ?) WHERE id = ? AND device_id = ?`,
    leftOut?.count ?? 0,
    leftOut?.at ?? null,
    execution.id,
    execution.deviceId,
    execution.id,
    execution.deviceId,
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
    `DELETE FROM execution_response WHERE execution_id = ? AND device_id = ? AND received_at = ?
       AND (state <> ? OR payload IS DISTINCT FROM ?)`,
    execution.id,
    execution.deviceId,
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
async function findKnown(database: WriteDatabase, { id, deviceId }: Whose): Promise<StoredExecution | undefined> {
  return database.memory?.execution(id) ?? (await findStored(database, id, deviceId));
}
