import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { type Execution, hasEnded, isOpen, withTimeout } from "#core/command/execution.ts";
import { givenToOwner } from "#core/command/remote-execution.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { executionEvent } from "#core/event/event.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Idempotency, NewExecution } from "#service/ports/execution-store.ts";
import type { Awaitable } from "#store/awaitable.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import type { OpenOf, StoredExecution } from "#store/write-memory.ts";
import { recordAudit } from "./audit-writes.ts";
import { noteDeletedNumber } from "./deleted-number.ts";
import { findEarlier } from "./earlier-execution.ts";
import { addEvent } from "./event-writes.ts";
import { byId, enterGroup, FIND_GROUP, groupValues, insertInto, leaveGroup } from "./execution-group-writes.ts";
import { findStored, renderPayload, storedCaller } from "./execution-row.ts";
import { ofDevice } from "./of-devices.ts";
import { number, text } from "./row.ts";
import { deviceLock, NOBODY, write } from "./write.ts";

const SWEEP_AT_ONCE = 500;
const SWEEP_DEVICES = 1_000;

/** Of an execution that is stored here first. */
const NEW_COLUMNS =
  `id site_id created_at arguments sealed attempted is_open deadline bytes revision changed caller bulk_id`.split(" ");
const insertNew = insertInto("execution", NEW_COLUMNS);

/** The execution that a write changes. Its device is looked up where the caller does not know it. */
export interface Whose {
  readonly id: string;
  readonly deviceId?: string | undefined;
}

/** What holds for every write that changes such an execution. */
export const OF_EXECUTION = {
  locks: ({ id, deviceId }: Whose, reader: Database) =>
    deviceId === undefined ? deviceLockOf(reader, id) : deviceLock(deviceId),
  informs: NOBODY,
  fromReserve: true,
};

async function deviceLockOf(reader: Database, executionId: string): Promise<readonly string[]> {
  const row = await reader.get("SELECT device_id FROM execution WHERE id = ?", executionId);
  return row === undefined ? [] : deviceLock(text(row, "device_id"));
}

export const executionWrites = {
  /** If the idempotency key was used before, returns the earlier execution and stores nothing. */
  insertExecution: write({
    locks: ({ input }) => deviceLock(input.execution.deviceId),
    parts: ({ input: { execution, idempotency } }) =>
      idempotency === undefined
        ? [`execution ${execution.id}`]
        : [`execution ${execution.id}`, `idempotency ${idempotency.tokenId} ${execution.deviceId} ${idempotency.key}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(database: WriteDatabase, { input, trail }: { input: NewExecution; trail: AuditEntry | undefined }) {
      const { execution, idempotency } = input;
      const [earlier, room, change] = await Promise.all([
        idempotency && findEarlier(database, execution, idempotency),
        openOf(database, execution.deviceId),
        database.nextChange(),
      ]);
      if (earlier !== undefined) return earlier;
      const shown = JSON.stringify(execution.request.arguments);
      const bytes = Buffer.byteLength(shown) + (input.sealed?.byteLength ?? 0);
      takeRoom(room, input, bytes);
      const group = enterGroup(database, execution);
      database.send(
        insertNew(group),
        execution.id,
        execution.siteId,
        execution.createdAt,
        shown,
        input.sealed ?? null,
        input.attempted ? 1 : 0,
        1,
        execution.deadline,
        bytes,
        execution.revision,
        change,
        storedCaller(execution.caller),
        execution.bulkId ?? null,
        ...groupValues(group, execution),
      );
      if (idempotency !== undefined) putIdempotency(database, execution, idempotency);
      if (trail !== undefined) await recordAudit(database, trail);
      await addEvent(database, executionEvent(execution), change);
      remember(database, { execution, attempted: input.attempted, sealed: input.sealed, bytes, logBytes: 0 }, 0);
      return undefined;
    },
  }),

  /** The device, where it is known, saves a database that locks devices from looking it up. */
  markAttempted: write({
    locks: OF_EXECUTION.locks,
    parts: ({ id }) => [`execution ${id}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(database: WriteDatabase, { id, deviceId }: Whose) {
      database.memory?.drop(id);
      const mark = "UPDATE execution SET attempted = 1 WHERE id = ? AND attempted = 0 AND is_open = 1";
      const marked =
        deviceId === undefined ? database.last(mark, id) : database.last(`${mark} AND device_id = ?`, id, deviceId);
      return (await marked) === 1;
    },
  }),

  unmarkAttempted: write({
    ...OF_EXECUTION,
    async run(database: Database, { id, deviceId }: Whose) {
      const own = ofDevice(database, deviceId);
      await database.run(
        `UPDATE execution SET attempted = 0 WHERE id = ?${own.sql} AND is_open = 1 AND response_state IS NULL`,
        id,
        ...own.values,
      );
    },
  }),

  expireExecution: write({
    ...OF_EXECUTION,
    async run(database: WriteDatabase, { id, deviceId, deadline }: Whose & { deadline: Instant }) {
      const stored = await findStored(database, id, deviceId);
      // A different deadline means that the device was heard from since.
      if (stored?.execution.deadline !== deadline) return undefined;
      // A gateway that was sent it and has not answered may have accepted it: then its end is the gateway's to report.
      const isSent = stored.attempted && (await isOfGateway(database, stored.execution.siteId));
      const after = isSent ? givenToOwner(stored.execution, false) : withTimeout(stored.execution);
      if (after !== undefined) await replace(database, { stored, after, logged: 0 });
      return after;
    },
  }),

  sweepExecutions: write({
    locks: (_, reader) => sweepLocks(reader),
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { now }: { now: Instant }) {
      const rows = await database.all(
        `SELECT e.id, e.device_id, e.changed FROM execution_group g JOIN execution e ON e.group_id = g.id AND e.device_id = g.device_id
         WHERE g.ephemeral = 1 AND e.created_at <= ? LIMIT ?`,
        now - EPHEMERAL_LIFETIME_MS,
        SWEEP_AT_ONCE,
      );
      for (const row of rows) {
        const stored = await findStored(database, text(row, "id"), text(row, "device_id"));
        if (stored === undefined) continue;
        leaveGroup(database, stored);
        database.send(
          "DELETE FROM execution WHERE id = ? AND device_id = ?",
          stored.execution.id,
          stored.execution.deviceId,
        );
      }
      if (rows.length > 0) noteDeletedNumber(database, Math.max(...rows.map((row) => number(row, "changed"))));
      const keys = await database.run(
        `DELETE FROM idempotency WHERE (token_id, device_id, key) IN
         (SELECT token_id, device_id, key FROM idempotency WHERE expires_at <= ? LIMIT ?)`,
        now,
        SWEEP_AT_ONCE,
      );
      return rows.length + keys;
    },
  }),
};

/** Those of the devices whose executions may be swept. */
async function sweepLocks(reader: Database): Promise<readonly string[]> {
  const ephemeral = "SELECT DISTINCT device_id FROM execution_group WHERE ephemeral = 1 AND total > 0 LIMIT ?";
  const rows = await reader.all(ephemeral, SWEEP_DEVICES);
  return ["chore executions", ...rows.flatMap((row) => deviceLock(text(row, "device_id")))];
}

async function isOfGateway(database: Database, siteId: string): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM site WHERE id = ? AND gateway_id IS NOT NULL";
  return (await database.get(sql, siteId)) !== undefined;
}

interface Replacement {
  readonly stored: StoredExecution;
  readonly after: Execution;
  /** Bytes of the entry that the log gets with this change. */
  readonly logged: number;
  /** The number of the change, where the caller has it. */
  readonly change?: number;
  /** Changes on the way there. Each is an event, and the row is only stored as it is in the end. */
  readonly before?: readonly Step[];
}

/** One change of an execution, and its number. */
export interface Step<After extends Execution = Execution> {
  readonly after: After;
  readonly change: number;
}

const [UPDATE_BY_ID, UPDATE_BY_KEY] = ["?", `(${FIND_GROUP})`].map(
  (group) =>
    `UPDATE execution SET group_id = ${group}, is_open = ?, deadline = ?, response_state = ?, response_payload = ?,
       received_at = ?, sealed = CASE WHEN ? = 1 THEN NULL ELSE sealed END, revision = ?, is_remote = ?,
       changed = ?, log_bytes = ? WHERE id = ? AND device_id = ?`,
) as [string, string];

/** Adds the event, and gives the number of the change. */
export async function replace(
  database: WriteDatabase,
  { stored, after, logged, change: given, before = [] }: Replacement,
): Promise<number> {
  const change = given ?? (await database.nextChange());
  const moved = stored.execution.state !== after.state;
  if (moved) leaveGroup(database, stored);
  const group = moved ? enterGroup(database, after) : byId(stored.groupId);
  const [wasCounted, isCounted] = [countsAsOpen(stored.execution), countsAsOpen(after)];
  if (wasCounted !== isCounted) changeRoom(database, stored, isCounted ? 1 : -1);
  database.replace(
    after.id,
    group.isKnown ? UPDATE_BY_ID : UPDATE_BY_KEY,
    ...group.values,
    isCounted ? 1 : 0,
    after.deadline,
    after.response?.state ?? null,
    renderPayload(after.response?.payload),
    after.response?.receivedAt ?? null,
    hasEnded(after.state) ? 1 : 0,
    after.revision,
    after.isRemote ? 1 : 0,
    change,
    stored.logBytes + logged,
    after.id,
    after.deviceId,
  );
  for (const step of before) await addEvent(database, executionEvent(step.after), step.change);
  await addEvent(database, executionEvent(after), change);
  return change;
}

/** `bytes` is what its latest response holds. */
export function remember(database: WriteDatabase, stored: Omit<StoredExecution, "groupId">, bytes: number): void {
  const { memory } = database;
  const { id, state } = stored.execution;
  const groupId = isOpen(state) ? memory?.findGroup(stored.execution) : undefined;
  if (groupId === undefined) memory?.drop(id);
  else memory?.keep({ ...stored, groupId }, stored.bytes + bytes);
}

/** Whether it takes of its device's room. */
function countsAsOpen({ state, isRemote }: Execution): boolean {
  return isOpen(state) && !isRemote;
}

/** The open executions of a device. Those of one transaction count each other by `takeRoom`. */
function openOf(database: WriteDatabase, deviceId: string): Awaitable<OpenOf> {
  return database.memory?.openOf(deviceId) ?? readOpenOf(database, deviceId);
}

function readOpenOf(database: WriteDatabase, deviceId: string): Awaitable<OpenOf> {
  return database.shared(`open ${deviceId}`, async () => {
    const row = await database.one(
      "SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM execution WHERE device_id = ? AND is_open = 1",
      deviceId,
    );
    const open = { count: number(row, "count"), bytes: number(row, "bytes") };
    database.memory?.keepOpenOf(deviceId, open);
    return open;
  });
}

function changeRoom(database: WriteDatabase, { execution, bytes }: StoredExecution, by: 1 | -1): void {
  const open = database.memory?.openOf(execution.deviceId);
  if (open === undefined) return;
  open.count += by;
  open.bytes += by * bytes;
}

function takeRoom(open: OpenOf, { maxOpen, maxOpenBytes }: NewExecution, more: number): void {
  if (open.count >= maxOpen) {
    throw refuse("queue_full", `${open.count} executions of this device are still open; wait for some to end`);
  }
  const bytes = open.bytes + more;
  if (bytes > maxOpenBytes) {
    const message = `the arguments of this device's open executions would hold ${bytes} bytes, more than ${maxOpenBytes}; wait for some to end`;
    throw refuse("queue_full", message);
  }
  open.count++;
  open.bytes = bytes;
}

function putIdempotency(database: WriteDatabase, execution: Execution, idempotency: Idempotency): void {
  database.send(
    `INSERT INTO idempotency (token_id, device_id, key, request_digest, execution_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (token_id, device_id, key) DO UPDATE SET
       request_digest = excluded.request_digest, execution_id = excluded.execution_id, expires_at = excluded.expires_at`,
    idempotency.tokenId,
    execution.deviceId,
    idempotency.key,
    idempotency.requestDigest,
    execution.id,
    idempotency.expiresAt,
  );
}
