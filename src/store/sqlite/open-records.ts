import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { oneNode } from "#service/ports/nodes.ts";
import type { RecordStore } from "#service/ports/record-store.ts";
import { OUTBOX_BYTES } from "#store/records/event-row.ts";
import { createSubjectStores, holdsSealed, isEmpty } from "#store/records/subject-stores.ts";
import type { Writer } from "#store/records/writer.ts";
import type { StorageGate } from "#store/storage-gate.ts";
import { Connection } from "./connection.ts";
import { guardWriter } from "./guard-writer.ts";
import { keptEventBytes } from "./kept-event-bytes.ts";
import { createLists } from "./lists.ts";
import { lockFolder, refuseUsed } from "./lock-folder.ts";
import { makePrivate } from "./make-private.ts";
import { openReadPool } from "./read-pool.ts";
import { createRecordReader } from "./record-reader.ts";
import { openWriter } from "./writer.ts";

/**
 * Creates the folder if it is missing, readable by its owner alone. Keeps other processes out until the returned
 * function is called.
 */
export function claimFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const release = lockFolder(join(folder, "lock.db"));
  try {
    refuseUsed(join(folder, "records.db"));
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

interface RecordsSettings {
  /** Releases the folder, which is claimed already. */
  readonly release?: () => void;
  /** Called with the place of a stored value that cannot be read. */
  readonly onDamaged?: (place: string) => void;
  /** Decides what may be written; without it everything may. */
  readonly gate?: StorageGate;
}

/** Opens the records of a data folder. */
export async function openRecords(
  folder: string,
  onFault: (error: Error) => void,
  { release = claimFolder(folder), onDamaged = () => {}, gate }: RecordsSettings = {},
): Promise<RecordStore> {
  try {
    const file = join(folder, "records.db");
    makePrivate(file);
    const opened = await openWriter(file, onFault);
    const writer = gate === undefined ? opened : guardWriter(opened, gate);
    const connection = await openReader(file, writer);
    connection.onDamaged = onDamaged;
    const reader = createRecordReader(connection);
    const pool = openReadPool(file);
    const lists = createLists(reader, pool);
    let closed: Promise<void> | undefined;
    return {
      ...createSubjectStores(
        { reader, lists, watch: writer.watchEvents, used: () => keptEventBytes(connection), limit: OUTBOX_BYTES },
        writer,
      ),
      nodes: oneNode(),
      agreeOnKey: async () => true,
      buffers: [writer.buffer],
      holdsSealed: () => holdsSealed(reader),
      isEmpty: () => isEmpty(reader),
      close() {
        closed ??= closeAll();
        return closed;
      },
    };

    /** The writer closes last, because the last connection to close moves the log into the file. */
    async function closeAll(): Promise<void> {
      connection.close();
      await pool.close();
      await writer.close();
      release();
    }
  } catch (error) {
    release();
    throw error;
  }
}

async function openReader(file: string, writer: Writer): Promise<Connection> {
  try {
    return new Connection(file, "read");
  } catch (error) {
    await writer.close();
    throw error;
  }
}
