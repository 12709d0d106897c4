import type { AddedEvent, WriteDatabase } from "#store/database.ts";
import { latestPosition, latestTotal } from "#store/records/event-row.ts";
import { latestChange } from "#store/records/execution-row.ts";
import { HAS_CLOUD } from "#store/records/link-marks.ts";
import { latestMark } from "#store/records/link-store.ts";
import type { Connection } from "./connection.ts";

export interface RecordWriter extends WriteDatabase {
  /** The events that were added since the last call; undefined when there are none. */
  takeAdded(): readonly AddedEvent[] | undefined;
}

/** The connection for writes. */
export function createRecordWriter(connection: Connection): RecordWriter {
  let lastChange: number | undefined;
  let eventTotal: number | undefined;
  let added: AddedEvent[] = [];
  return {
    get: (sql, ...values) => connection.get(sql, ...values),
    one: (sql, ...values) => connection.one(sql, ...values),
    all: (sql, ...values) => connection.all(sql, ...values),
    run: (sql, ...values) => connection.run(sql, ...values),
    send: (sql, ...values) => void connection.run(sql, ...values),
    last: (sql, ...values) => connection.run(sql, ...values),
    shared: (_, read) => read(),
    hasCloud: () => connection.get(HAS_CLOUD) !== undefined,
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
