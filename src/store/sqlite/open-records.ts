import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { RecordStore } from "#service/ports/record-store.ts";
import type { StorageGate } from "#store/storage-gate.ts";
import { createAlertStore } from "./alert-store.ts";
import { createAuditStore } from "./audit-store.ts";
import { createBlueprintStore } from "./blueprint-store.ts";
import { createConfigurationStore } from "./configuration-store.ts";
import { Connection } from "./connection.ts";
import { createDeviceLogStore } from "./device-log-store.ts";
import { createDeviceStore } from "./device-store.ts";
import { createExecutionStore } from "./execution-store.ts";
import { guardWriter } from "./guard-writer.ts";
import { createLists } from "./lists.ts";
import { lockFolder, refuseUsed } from "./lock-folder.ts";
import { openReadPool } from "./read-pool.ts";
import { createRecordReader } from "./record-reader.ts";
import { createRetentionStore } from "./retention-store.ts";
import { number } from "./row.ts";
import { createScriptStore } from "./script-store.ts";
import { createSimulationStore } from "./simulation-store.ts";
import { createSiteStore } from "./site-store.ts";
import { createTokenStore } from "./token-store.ts";
import { createWebhookStore } from "./webhook-store.ts";
import { openWriter, type Writer } from "./writer.ts";

const SEALED = `SELECT CASE WHEN EXISTS (SELECT 1 FROM device_configuration) OR EXISTS (SELECT 1 FROM webhook)
  OR EXISTS (SELECT 1 FROM execution WHERE is_open = 1 AND sealed IS NOT NULL) THEN 1 ELSE 0 END AS found`;

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
      sites: createSiteStore(reader, writer, lists),
      devices: createDeviceStore(reader, writer, lists),
      blueprints: createBlueprintStore(reader, writer, lists),
      tokens: createTokenStore(reader, writer),
      audit: createAuditStore(lists, writer),
      executions: createExecutionStore(reader, writer, lists),
      deviceLogs: createDeviceLogStore(lists, writer),
      configurations: createConfigurationStore(reader, writer),
      alerts: createAlertStore(reader, writer, lists),
      webhooks: createWebhookStore(reader, writer, lists),
      retentions: createRetentionStore(reader, writer),
      scripts: createScriptStore(reader, writer),
      simulations: createSimulationStore(reader, writer),
      buffers: [writer.buffer],
      holdsSealed: async () => number(await reader.one(SEALED), "found") === 1,
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

/** Done before SQLite opens the file, because its log takes over the file's mode. */
function makePrivate(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
}

async function openReader(file: string, writer: Writer): Promise<Connection> {
  try {
    return new Connection(file, "read");
  } catch (error) {
    await writer.close();
    throw error;
  }
}
