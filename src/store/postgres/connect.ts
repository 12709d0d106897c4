import pg from "pg";
import { refuse } from "#core/app-error.ts";
import { requireDatabaseAddress } from "#core/net/database-address.ts";
import { DatabaseClient, type DatabaseClientConfig } from "./database-client.ts";
import { serversOf } from "./database-servers.ts";
import { migrate } from "./migrate.ts";
import { isSpread } from "./spread.ts";
import { serverTrouble } from "./trouble.ts";

/** Also the longest wait for a free connection of a pool. */
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 10_000;

/** All statements are short. Compiling one takes PostgreSQL longer than running it, ten times as long on PostgreSQL 15. */
const NO_JIT = "-c jit=off";

/** How every connection of Busbar is opened. No wait is without an end. */
export function clientConfig(url: string): DatabaseClientConfig & pg.PoolConfig {
  const [first] = requireDatabaseAddress(url).servers;
  return {
    connectionString: first?.url ?? url,
    servers: serversOf(url),
    Client: DatabaseClient,
    application_name: "busbar",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    options: NO_JIT,
    keepAlive: true,
    types: { getTypeParser },
  };
}

/**
 * The same for the records, whose statements all have an index. PostgreSQL keeps the plan that it made while a table was small,
 * until it has looked at the table again: 1,600 commands after a start with empty tables read 2.4 million rows.
 */
export function recordsConfig(url: string): DatabaseClientConfig & pg.PoolConfig {
  return { ...clientConfig(url), options: `${NO_JIT} -c enable_seqscan=off` };
}

interface PrepareOptions {
  /** Runs before anything is changed. */
  readonly check?: ((client: pg.Client) => Promise<void>) | undefined;
  /** Called once when the server cannot be reached yet. */
  readonly onWaiting?: ((error: Error) => void) | undefined;
}

/** Makes or updates all tables. */
export async function prepareDatabase(
  url: string,
  { check, onWaiting }: PrepareOptions = {},
): Promise<{ readonly isSpread: boolean }> {
  const client = await connectPatiently(url, onWaiting);
  try {
    await check?.(client);
    await migrate(client);
    return { isSpread: await isSpread(client) };
  } finally {
    await client.end();
  }
}

/** A database that starts together with Busbar is not ready at once. */
const PATIENCE_MS = 30_000;
const AGAIN_MS = 500;

async function connectPatiently(url: string, onWaiting: PrepareOptions["onWaiting"]): Promise<pg.Client> {
  let hasWaited = false;
  const began = performance.now();
  for (;;) {
    // A migration may take longer than any call.
    const client = new DatabaseClient({ ...clientConfig(url), statement_timeout: 0, lock_timeout: 0 });
    client.on("error", () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      const isHopeless = serverTrouble(error) === undefined || performance.now() - began > PATIENCE_MS;
      if (isHopeless) throw new Error(`the database cannot be opened: ${messageOf(error)}`, { cause: error });
      if (!hasWaited) onWaiting?.(new Error(messageOf(error)));
      hasWaited = true;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** An error about several addresses of a host has no text of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** One connection that is opened again after it was lost. */
export interface Connection {
  get(): Promise<pg.Client>;
  close(): Promise<void>;
}

interface ConnectionOptions {
  /** Statements are sent without waiting for the answers to earlier ones. COPY does not work over such a connection. */
  readonly pipeline: boolean;
  /** Runs on each new connection before anything else. */
  readonly prepare?: (client: pg.Client) => Promise<void>;
}

export function createConnection(url: string, { pipeline, prepare = async () => {} }: ConnectionOptions): Connection {
  let current: Promise<pg.Client> | undefined;
  let isClosed = false;

  async function open(): Promise<pg.Client> {
    const client = new DatabaseClient({ ...clientConfig(url), pipeline });
    const forget = () => {
      current = undefined;
    };
    // Statements fail by themselves when the connection is lost. An error that nobody listens to would end the thread.
    client.on("error", forget);
    client.on("end", forget);
    try {
      await client.connect();
      await prepare(client);
      return client;
    } catch (error) {
      forget();
      await client.end().catch(() => {});
      throw error;
    }
  }

  return {
    async get() {
      if (isClosed) throw refuse("storage_unavailable", "the database is closed");
      current ??= open();
      return await current;
    },
    async close() {
      isClosed = true;
      const client = await current?.catch(() => undefined);
      await client?.end();
    },
  };
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
