// What a response changes: the execution, its log, and what is left out of a log that has grown too long.
import {
  type AnsweredExecution,
  type Arrival,
  type Execution,
  withCancel,
  withResponse,
} from "#core/command/execution.ts";
import { ENTRY_BYTES, MAX_LOG_BYTES } from "#core/command/log-limits.ts";
import type { Cancel, StartAndAnswer } from "#service/ports/execution-store.ts";
import type { Awaitable } from "#store/awaitable.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import type { StoredExecution } from "#store/write-memory.ts";
import { recordAudit } from "./audit-writes.ts";
import { findStored, renderPayload } from "./execution-row.ts";
import { remember, replace, type Step } from "./execution-writes.ts";
import { number } from "./row.ts";
import { deviceLock, NOBODY, write } from "./write.ts";

export const responseWrites = {
  recordResponse: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    parts: ({ id }) => [`execution ${id}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(
      database: WriteDatabase,
      { deviceId, id, arrival }: { deviceId: string; id: string; arrival: Arrival & { repeated: boolean } },
    ) {
      const [stored, isKnown, change] = await Promise.all([
        findOpen(database, id, deviceId),
        isRepetition(database, { id, deviceId }, arrival),
        database.nextChange(),
      ]);
      if (stored === undefined || isKnown) return undefined;
      const after = withResponse(stored.execution, arrival);
      if (after === undefined) return undefined;
      await answerStored(database, stored, [{ after, change }]);
      return after;
    },
  }),

  /** Both by one change of the row, which costs as much as that of the answer alone. */
  recordStartAndAnswer: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    parts: ({ id }) => [`execution ${id}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(
      database: WriteDatabase,
      { deviceId, id, start, answer }: { readonly deviceId: string; readonly id: string } & StartAndAnswer,
    ) {
      const [stored, isKnown, first, second] = await Promise.all([
        findOpen(database, id, deviceId),
        isRepetition(database, { id, deviceId }, answer),
        database.nextChange(),
        database.nextChange(),
      ]);
      const started = stored && withResponse(stored.execution, start);
      const isNews = !isKnown && !(started !== undefined && answer.repeated && isSame(start, answer));
      const answered = stored && isNews ? withResponse(started ?? stored.execution, answer) : undefined;
      const steps = [
        ...(started === undefined ? [] : [{ after: started, change: first }]),
        ...(answered === undefined ? [] : [{ after: answered, change: second }]),
      ];
      if (stored !== undefined) await answerStored(database, stored, steps);
      return { started, answered };
    },
  }),

  cancelExecution: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { deviceId, id, cancel }: { deviceId: string; id: string; cancel: Cancel }) {
      const stored = await findStored(database, id, deviceId);
      const after = stored && withCancel(stored.execution, { attempted: stored.attempted, at: cancel.at });
      if (stored === undefined || after === undefined) return undefined;
      await addResponses(database, stored, [{ after, change: await database.nextChange() }]);
      await recordAudit(database, cancel.trail);
      return after;
    },
  }),
};

/** Stores an execution that is remembered after its responses. */
async function answerStored(
  database: WriteDatabase,
  stored: StoredExecution,
  steps: readonly Step<AnsweredExecution>[],
): Promise<void> {
  const last = steps.at(-1);
  if (last === undefined) return;
  const { logBytes, logged } = await addResponses(database, stored, steps);
  if (logBytes > MAX_LOG_BYTES) database.memory?.drop(last.after.id);
  else remember(database, { ...stored, execution: last.after, logBytes }, logged);
}

/** Stores the execution after the last of its responses, and the responses in its log. */
async function addResponses(
  database: WriteDatabase,
  stored: StoredExecution,
  steps: readonly Step<AnsweredExecution>[],
): Promise<{ readonly logBytes: number; readonly logged: number }> {
  const entries = steps.map((step) => ({ ...step, payload: renderPayload(step.after.response.payload) }));
  const logged = entries.reduce((sum, { payload }) => sum + Buffer.byteLength(payload ?? "") + ENTRY_BYTES, 0);
  const [last, ...earlier] = steps.toReversed();
  if (last !== undefined) await replace(database, { stored, logged, ...last, before: earlier.reverse() });
  const logBytes = stored.logBytes + logged;
  if (last !== undefined && logBytes > MAX_LOG_BYTES) await makeLogRoom(database, last.after, logBytes);
  for (const { after, change, payload } of entries) {
    database.row(
      "INSERT INTO execution_response (execution_id, device_id, received_at, state, payload, revision, changed)",
      after.id,
      after.deviceId,
      after.response.receivedAt,
      after.response.state,
      payload,
      after.revision,
      change,
    );
  }
  return { logBytes, logged };
}

function isSame(one: Arrival, other: Arrival): boolean {
  return one.state === other.state && renderPayload(one.payload) === renderPayload(other.payload);
}

/** The oldest entries between start and end go until the log fits, and are counted. */
async function makeLogRoom(database: Database, { id, deviceId }: Execution, logBytes: number): Promise<void> {
  let excess = logBytes - MAX_LOG_BYTES;
  while (excess > 0) {
    const oldest = await database.get(
      `SELECT received_at, coalesce(octet_length(payload), 0) + ${ENTRY_BYTES} AS bytes FROM execution_response
       WHERE execution_id = ? AND device_id = ? AND state = 'IN_PROGRESS' ORDER BY received_at LIMIT 1`,
      id,
      deviceId,
    );
    if (oldest === undefined) return;
    const at = number(oldest, "received_at");
    const entry = "execution_id = ? AND device_id = ? AND received_at = ?";
    await database.run(`DELETE FROM execution_response WHERE ${entry}`, id, deviceId, at);
    await database.run(
      "UPDATE execution SET log_bytes = log_bytes - ?, left_out = left_out + 1, left_out_at = ? WHERE id = ? AND device_id = ?",
      number(oldest, "bytes"),
      at,
      id,
      deviceId,
    );
    excess -= number(oldest, "bytes");
  }
}

/** A carrier that delivers at least once may repeat answers, several of them and in their order. */
async function isRepetition(
  database: Database,
  { id, deviceId }: { readonly id: string; readonly deviceId: string },
  arrival: Arrival & { readonly repeated: boolean },
): Promise<boolean> {
  if (!arrival.repeated) return false;
  const row = await database.get(
    `SELECT 1 AS found FROM execution_response
     WHERE execution_id = ? AND device_id = ? AND state = ? AND payload IS NOT DISTINCT FROM ? LIMIT 1`,
    id,
    deviceId,
    arrival.state,
    renderPayload(arrival.payload),
  );
  return row !== undefined;
}

/** As `findStored`, from memory where it is there. */
function findOpen(database: WriteDatabase, id: string, deviceId: string): Awaitable<StoredExecution | undefined> {
  const known = database.memory?.execution(id);
  return known?.execution.deviceId === deviceId ? known : findStored(database, id, deviceId);
}
