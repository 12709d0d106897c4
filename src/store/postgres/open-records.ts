import pg from "pg";
import type { RecordStore } from "#service/ports/record-store.ts";
import { createSubjectStores, holdsSealed } from "#store/sqlite/subject-stores.ts";
import { followEvents } from "./follow-events.ts";
import { createLists } from "./lists.ts";
import { migrate } from "./migrate.ts";
import { createReader } from "./reader.ts";
import { requireDurable } from "./require-durable.ts";
import { createWriter } from "./writer.ts";

export interface PostgresSettings {
  /** Connections of this node for reads, and for writes. */
  readonly readers?: number;
  readonly writers?: number;
  /** The operator accepts a server that may lose commits it has acknowledged. */
  readonly allowLoss?: boolean;
  /** Called with the place of a stored value that cannot be read. */
  readonly onDamaged?: (place: string) => void;
  /** Called when an idle connection fails. The next use opens another one. */
  readonly onLost?: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 10_000;

/** Opens the records of a PostgreSQL database, and makes or updates their tables. */
export async function openPostgresRecords(url: string, settings: PostgresSettings = {}): Promise<RecordStore> {
  const { readers = 8, writers = 4, allowLoss = false, onDamaged = () => {}, onLost = () => {} } = settings;
  const base: pg.PoolConfig = {
    connectionString: url,
    application_name: "busbar",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
  };
  await prepareDatabase(base, allowLoss);
  const reads = new pg.Pool({ ...base, max: readers });
  const writes = new pg.Pool({ ...base, max: writers });
  for (const pool of [reads, writes]) {
    pool.on("error", onLost);
    // While a connection is in use the pool does not listen, and an error that nobody listens to ends the process.
    pool.on("connect", (client) => client.on("error", onLost));
  }
  const damage = { onDamaged };
  const reader = createReader(reads, damage);
  const events = followEvents(reader);
  const writer = createWriter({ pool: writes, reader, damage, lanes: writers, onCommit: events.wake });
  let closed: Promise<void> | undefined;
  return {
    ...createSubjectStores({ reader, lists: createLists(reader), watch: events.watch, used: events.used }, writer),
    buffers: [writer.buffer],
    holdsSealed: () => holdsSealed(reader),
    close() {
      closed ??= closeAll();
      return closed;
    },
  };

  async function closeAll(): Promise<void> {
    await writer.close();
    await events.stop();
    await reads.end();
  }
}

async function prepareDatabase(config: pg.ClientConfig, allowLoss: boolean): Promise<void> {
  // A migration may take longer than any call.
  const client = new pg.Client({ ...config, statement_timeout: 0, lock_timeout: 0 });
  await client.connect();
  try {
    await requireDurable(client, allowLoss);
    await migrate(client);
  } finally {
    await client.end();
  }
}

/** Bytes without the methods of a Buffer, as SQLite gives them. PostgreSQL writes them as `\x` and hexadecimal digits. */
function plainBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text.slice(2), "hex");
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whole numbers come as numbers: none of ours is larger than a number can hold. */
const getTypeParser: pg.CustomTypesConfig["getTypeParser"] = (id: number, format?: string) => {
  const isNumber = id === pg.types.builtins.INT8 || id === pg.types.builtins.NUMERIC;
  if (isNumber && format !== "binary") return Number;
  if (id === pg.types.builtins.BYTEA && format !== "binary") return plainBytes;
  return pg.types.getTypeParser(id, format as "text");
};
