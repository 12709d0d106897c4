// Besides lock-folder.ts the only file that imports node:sqlite. A connection keeps its prepared statements and turns
// trouble with the disk into the refusals that callers understand.
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { type AppError, refuse } from "#core/app-error.ts";

export type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

/** With this many pages in the log, `tidy` moves them into the file. */
const LONG_LOG = 1_000;
/** With this many pages, a commit does it by itself, for callers that never tidy. */
const TOO_LONG_LOG = 8_000;

export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Called with the place of a stored value that cannot be read. */
  onDamaged: (place: string) => void = () => {};

  /** `cacheMb` bounds the pages that SQLite itself keeps; the operating system keeps them too. */
  constructor(file: string, mode: "write" | "read", cacheMb = 8) {
    this.#database = guarded(() => new DatabaseSync(file, { readOnly: mode === "read", timeout: 10_000 }));
    try {
      if (mode === "write") guarded(() => makeDurable(this.#database));
      this.script(`PRAGMA foreign_keys = ON; PRAGMA cache_size = ${-1024 * cacheMb}; PRAGMA temp_store = MEMORY;`);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  get(sql: string, ...values: readonly Value[]): Row | undefined {
    return guarded(() => whatFits(this.#prepare(sql), (statement) => statement.get(...(values as SQLInputValue[]))));
  }

  /** The row of a query that always has one, such as a count. */
  one(sql: string, ...values: readonly Value[]): Row {
    const row = this.get(sql, ...values);
    if (row === undefined) throw new Error(`no row came of: ${sql}`);
    return row;
  }

  all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return guarded(() => whatFits(this.#prepare(sql), (statement) => statement.all(...(values as SQLInputValue[]))));
  }

  /** The same with rows as arrays of values, which is faster for rows with many columns. */
  lists(sql: string, ...values: readonly Value[]): readonly (readonly unknown[])[] {
    return guarded(() => {
      return this.#prepare(sql, "lists").all(
        ...(values as SQLInputValue[]),
      ) as unknown as readonly (readonly unknown[])[];
    });
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly Value[]): number {
    return guarded(() => Number(this.#prepare(sql).run(...(values as SQLInputValue[])).changes));
  }

  /** Runs several statements without values. */
  script(sql: string): void {
    guarded(() => this.#database.exec(sql));
  }

  /** Runs reads that must see the same state of the records. */
  snapshot<Result>(reads: () => Result): Result {
    this.run("BEGIN");
    try {
      return reads();
    } finally {
      if (this.inTransaction) this.run("COMMIT");
    }
  }

  /**
   * Moves the log into the file once it has grown long. This takes two more flushes, and no commit should wait for
   * them: call it after the commit is answered.
   */
  tidy(): void {
    const log = this.get("PRAGMA wal_checkpoint(NOOP)");
    if (Number(log?.["log"]) - Number(log?.["checkpointed"]) >= LONG_LOG) this.get("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /** Whether BEGIN is still in force: SQLite ends a transaction by itself on some errors. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** The same SQL text is always used with the same row shape. */
  #prepare(sql: string, shape: "objects" | "lists" = "objects"): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(compiledOnce(sql));
      statement.setReturnArrays(shape === "lists");
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * SQLite plans a statement by the value of its `LIMIT ?`, so it compiles the statement anew whenever that value is bound:
 * 19 us instead of 3 for a short one. It does not look into a sum.
 */
export function compiledOnce(sql: string): string {
  return sql.replaceAll("LIMIT ?", "LIMIT ? + 0");
}

/**
 * With anything below synchronous=FULL a power cut loses acknowledged rows, so it is fatal when the setting does not
 * take effect.
 */
function makeDurable(database: DatabaseSync): void {
  const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  if (mode !== "wal") throw new Error(`SQLite kept journal_mode=${String(mode)} where WAL is needed`);
  database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${TOO_LONG_LOG}`);
  const level = database.prepare("PRAGMA synchronous").get()?.["synchronous"];
  if (level !== 2) throw new Error(`SQLite kept synchronous=${String(level)} where FULL (2) is needed`);
}

/**
 * An integer that does not fit a number would fail the whole statement. It is read as a bigint instead, which `row.ts`
 * refuses, so that only its own row is lost.
 */
function whatFits<Result>(statement: StatementSync, read: (statement: StatementSync) => Result): Result {
  try {
    return read(statement);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE")) throw error;
  }
  statement.setReadBigInts(true);
  try {
    const result = read(statement);
    for (const row of Array.isArray(result) ? result : [result]) narrow(row as Record<string, unknown> | undefined);
    return result;
  } finally {
    statement.setReadBigInts(false);
  }
}

function narrow(row: Record<string, unknown> | undefined): void {
  for (const [column, value] of Object.entries(row ?? {})) {
    if (row !== undefined && typeof value === "bigint" && BigInt(Number(value)) === value) row[column] = Number(value);
  }
}

function guarded<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    const trouble = diskTrouble(error);
    if (trouble === undefined) throw error;
    // For the log only: SQLite's messages may name files.
    trouble.cause = error;
    throw trouble;
  }
}

/** The file itself is damaged in a way that SQLite does not notice. */
export class CorruptFile extends Error {}

/** Whether the file itself is damaged. */
export function isCorrupt(error: unknown): boolean {
  if (error instanceof CorruptFile) return true;
  const own = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  if (own === SQLITE_CORRUPT || own === SQLITE_NOTADB) return true;
  return error instanceof Error && error.cause !== undefined && isCorrupt(error.cause);
}

export function diskTrouble(error: unknown): AppError | undefined {
  // A version number that no version of Busbar has ever written.
  if (error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE") {
    return refuse("storage_unavailable", "a stored number cannot be read: the file is damaged");
  }
  const extended = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
  switch (extended & 0xff) {
    case SQLITE_FULL:
      return refuse("storage_full", "the disk that holds the records is full; nothing was stored");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return refuse("storage_unavailable", "the database file is damaged: restore a backup (busbar restore)");
    case SQLITE_BUSY: // another program holds the file for longer than the timeout
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return refuse("storage_unavailable", "the records cannot be read or written now; nothing was stored");
    default:
      return undefined;
  }
}
