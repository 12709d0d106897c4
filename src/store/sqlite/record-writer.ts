import type { AddedEvent, WriteDatabase } from "#store/database.ts";
import { latestPosition, latestTotal, OUTBOX_BYTES } from "#store/records/event-row.ts";
import { FIND_GROUP, groupKey } from "#store/records/execution-group-writes.ts";
import { latestChange } from "#store/records/execution-row.ts";
import { HAS_CLOUD } from "#store/records/link-marks.ts";
import { latestMark } from "#store/records/link-store.ts";
import { number } from "#store/records/row.ts";
import { checkedStatements, storable } from "#store/records/storable.ts";
import type { OpenOf, StoredExecution } from "#store/write-memory.ts";
import type { Connection } from "./connection.ts";
import { createHeldBack } from "./held-back.ts";

/** What is remembered: so little that nobody has to count its bytes. */
const MAX_EXECUTIONS = 1_000;
const MAX_EXECUTION_BYTES = 2_048;
const MAX_GROUPS = 5_000;
const MAX_DEVICES = 5_000;

export interface RecordWriter extends WriteDatabase {
  /** The events that were added since the last call; undefined when there are none. */
  takeAdded(): readonly AddedEvent[] | undefined;
  /**
   * Forgets what it remembers: when writes are undone, and before a write that may change it in another way. Remembering
   * saves 60 us of processor time per execution, of 250.
   */
  forget(): void;
  /** Runs the statements that were held back. Every read does, too, so what is read is what was written. */
  release(): void;
}

/** The connection for writes. */
export function createRecordWriter(connection: Connection): RecordWriter {
  let lastChange: number | undefined;
  let eventTotal: number | undefined;
  let added: AddedEvent[] = [];
  let hasCloud: boolean | undefined;
  const executions = new Map<string, StoredExecution>();
  const groups = new Map<string, number>();
  const open = new Map<string, OpenOf>();
  const statements = checkedStatements(connection);
  const held = createHeldBack((sql, ...values) => void statements.run(sql, ...values));
  /** The statements, with everything written that was held back. */
  function current(): typeof statements {
    held.release();
    return statements;
  }
  return {
    get: (sql, ...values) => current().get(sql, ...values),
    one: (sql, ...values) => current().one(sql, ...values),
    all: (sql, ...values) => current().all(sql, ...values),
    run: (sql, ...values) => current().run(sql, ...values),
    send: (sql, ...values) => void statements.run(sql, ...values),
    add: held.add,
    replace: held.replace,
    row: held.row,
    last: (sql, ...values) => current().run(sql, ...values),
    shared: (_, read) => read(),
    hasCloud() {
      hasCloud ??= connection.get(HAS_CLOUD) !== undefined;
      return hasCloud;
    },
    memory: {
      execution: (id) => executions.get(id),
      keep(stored, bytes) {
        const { id } = stored.execution;
        executions.delete(id);
        if (bytes > MAX_EXECUTION_BYTES) return;
        if (executions.size >= MAX_EXECUTIONS) executions.clear();
        executions.set(id, stored);
      },
      drop: (id) => void executions.delete(id),
      findGroup(execution) {
        const key = groupKey(execution);
        const name = JSON.stringify(key);
        const known = groups.get(name);
        if (known !== undefined) return known;
        const row = connection.get(FIND_GROUP, ...storable(key));
        if (row === undefined) return undefined;
        const id = number(row, "id");
        if (groups.size >= MAX_GROUPS) groups.clear();
        groups.set(name, id);
        return id;
      },
      openOf: (deviceId) => open.get(deviceId),
      keepOpenOf(deviceId, use) {
        if (open.size >= MAX_DEVICES) open.clear();
        open.set(deviceId, use);
      },
      release: held.release,
    },
    release: held.release,
    forget() {
      held.drop();
      hasCloud = undefined;
      executions.clear();
      groups.clear();
      open.clear();
    },
    onDamaged: (place) => connection.onDamaged(place),
    async nextChange() {
      // Read once, because only one connection writes.
      lastChange ??= await latestNumber(connection);
      lastChange++;
      return lastChange;
    },
    async nextEventTotal(bytes) {
      eventTotal = (eventTotal ?? (await latestTotal(connection))) + bytes;
      return eventTotal;
    },
    settledChange: () => Number.MAX_SAFE_INTEGER,
    eventBytes: OUTBOX_BYTES,
    tryLock: () => true,
    announce: (event) => {
      added.push(event);
    },
    takeAdded() {
      if (added.length === 0) return undefined;
      const taken = added;
      added = [];
      return taken;
    },
  };
}

/** Changes and events are numbered together. */
async function latestNumber(connection: Connection): Promise<number> {
  const all = Number.MAX_SAFE_INTEGER;
  return Math.max(
    await latestChange(connection, all),
    await latestPosition(connection, all),
    await latestMark(connection, all),
  );
}
