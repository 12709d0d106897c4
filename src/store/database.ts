// What the records need of a SQL database.
import type { StoredEvent } from "#service/ports/event-outbox.ts";
import type { Awaitable } from "./awaitable.ts";
import type { WriteMemory } from "./write-memory.ts";

export type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

/** The place where damaged values are reported. */
export interface DamageLog {
  /** Called with the place of a stored value that cannot be read. */
  readonly onDamaged: (place: string) => void;
}

interface Spread {
  /** Ends when each server shows all that was committed before. What is not found only then does not exist. */
  settle(): Promise<void>;
}

export interface Database extends DamageLog {
  /** There when rows of devices are on several servers: then a statement that names the device asks one of them. */
  readonly spread?: Spread | undefined;
  get(sql: string, ...values: readonly Value[]): Awaitable<Row | undefined>;
  /** The row of a query that always has one, such as a count. */
  one(sql: string, ...values: readonly Value[]): Awaitable<Row>;
  all(sql: string, ...values: readonly Value[]): Awaitable<readonly Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly Value[]): Awaitable<number>;
}

export interface WriteDatabase extends Database {
  /**
   * A change whose answer nobody needs. A database on a server gets it together with what follows, the commit included,
   * so it takes no round trip of its own. When it fails, so does the whole transaction.
   */
  send(sql: string, ...values: readonly Value[]): void;
  /**
   * As `send`, for a statement that adds its first value to a counter; the others say to which. What a transaction adds to
   * one counter may be added at once, at its end.
   */
  add(sql: string, by: number, ...which: readonly (string | number)[]): void;
  /** As `send`, for a statement that replaces whatever an earlier one with this key has stored: only the last has to run. */
  replace(key: string, sql: string, ...values: readonly Value[]): void;
  /**
   * As `send`, for a row that no other statement which is only sent looks at. `insert` says the table and its columns. Rows of one
   * table may be added together, at the end of the transaction.
   */
  row(insert: string, ...values: readonly Value[]): void;
  /** As `run`. It is the last statement of its write, which cannot refuse any more: the commit does not wait for it. */
  last(sql: string, ...values: readonly Value[]): Awaitable<number>;
  /**
   * What all writes of one transaction may read together. Whoever changes what was read changes the value, too. Where
   * writes can be undone one by one, it is read each time.
   */
  shared<Value>(key: string, read: () => Awaitable<Value>): Awaitable<Value>;
  /** Whether changes have to be sent to a cloud. */
  hasCloud(): Awaitable<boolean>;
  /** Undefined where others write to the database, too. */
  readonly memory?: WriteMemory;
  /**
   * The number of the change that is being stored. Numbers rise, and every number is used once; a transaction that is
   * undone leaves a gap.
   */
  nextChange(): Awaitable<number>;
  /** The bytes of all events ever stored, once this many more are. */
  nextEventTotal(bytes: number): Awaitable<number>;
  /** Changes up to this number are stored: none of them is still being stored by another transaction. */
  settledChange(): Awaitable<number>;
  /** What the outbox keeps at most, about. */
  readonly eventBytes: number;
  /** Takes a lock of writes until the transaction ends. False at once when another transaction has it. */
  tryLock(name: string): Awaitable<boolean>;
  /** Called with each event that the write adds to the outbox. It is announced after the commit. */
  announce(event: AddedEvent): void;
}

/** An event as it travels out of a write. Of an execution it is the position: the write's answer has the rest. */
export type AddedEvent = number | StoredEvent;

export interface ReadDatabase extends Database {
  /** Changes up to this number are visible or do not exist: none of them is still being stored. */
  settledChange(): Awaitable<number>;
  /** Runs reads that must see the same state of the records. */
  snapshot<Result>(reads: (database: ReadDatabase) => Promise<Result>): Promise<Result>;
}
