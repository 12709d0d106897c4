// Group commit: all writes of a batch share one transaction, and none is answered before its commit. They run at the same
// time over one connection, so that a batch takes as many round trips as its longest write, not as all of them together.
// Writes that share a lock key run one after the other, in their order.
//
// A write that refuses before it has changed anything is answered alone. One that fails later fails the transaction;
// then nothing of the batch has happened, and its writes run again, each in a transaction of its own.
import type { ClientBase } from "pg";
import { AppError, type Refusal } from "#core/app-error.ts";
import type { DamageLog, WriteDatabase } from "#store/database.ts";
import { failpoint } from "#store/failpoint.ts";
import { latestTotal } from "#store/records/event-row.ts";
import { number } from "#store/records/row.ts";
import { WRITES } from "#store/records/writes.ts";
import { lockNumber } from "./lock-keys.ts";
import { ADD_NOTE, noteOf } from "./node-notes.ts";
import { statementsOn } from "./statements.ts";
import { isWorthRepeating, serverTrouble } from "./trouble.ts";

export interface Write {
  readonly name: keyof typeof WRITES;
  readonly input: unknown;
  readonly keys: readonly string[];
}

export type Outcome =
  | { readonly result: unknown }
  | { readonly refusals: readonly [Refusal, ...Refusal[]]; readonly cause: unknown }
  | { readonly fault: unknown };

/** How often a transaction runs again because another one was in its way. */
const MAX_REPEATS = 5;

/** A change number is the id of its transaction, and its place among at most so many changes of the transaction. */
export const CHANGES_PER_TRANSACTION = 4_096;

export interface Added {
  /** Called after the commit of a transaction that has stored events, or notes for other nodes. */
  readonly onAdded: (what: "events" | "notes") => void;
}

/** Throws when the server cannot be reached: then it is unknown only for the last commit whether it happened. */
export async function commitBatch(
  client: ClientBase,
  damage: DamageLog & Added,
  writes: readonly Write[],
): Promise<readonly Outcome[]> {
  const together = await transact(client, damage, writes);
  if (!("failed" in together)) return together;
  if (writes.length === 1) return [outcomeOf(together.failed)];
  const outcomes: Outcome[] = [];
  for (const write of writes) {
    const alone = await transact(client, damage, [write]);
    outcomes.push(...("failed" in alone ? [outcomeOf(alone.failed)] : alone));
  }
  return outcomes;
}

type Done = readonly Outcome[] | { readonly failed: unknown };

async function transact(client: ClientBase, damage: DamageLog & Added, writes: readonly Write[]): Promise<Done> {
  for (let repeats = 0; ; repeats++) {
    const done = await attempt(client, damage, writes);
    if (!("failed" in done) || repeats >= MAX_REPEATS || !isWorthRepeating(done.failed)) return done;
  }
}

async function attempt(client: ClientBase, damage: DamageLog & Added, writes: readonly Write[]): Promise<Done> {
  failpoint("commit.before");
  try {
    // Sent together: the server works through them in this order.
    const begun = client.query("BEGIN");
    const locked = client.query(lockStatement(writes));
    const added = new Set<"events" | "notes">();
    const transaction = createTransaction(client, damage, () => added.add("events"));
    const outcomes = await settleAll([begun, locked], () => runAll(transaction, writes, () => added.add("notes")));
    failpoint("commit.inside");
    await client.query("COMMIT");
    failpoint("commit.after");
    for (const what of added) damage.onAdded(what);
    return outcomes;
  } catch (error) {
    const trouble = serverTrouble(error);
    if (trouble !== undefined) throw trouble;
    await client.query("ROLLBACK");
    return { failed: error };
  }
}

/** Waits for all of them, and only then fails with the first error: statements that follow it fail because of it. */
async function settleAll(
  before: readonly Promise<unknown>[],
  run: () => readonly Promise<Outcome>[],
): Promise<readonly Outcome[]> {
  const running = run();
  const settled = await Promise.allSettled([...before, ...running]);
  const errors = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (errors.length > 0) throw errors.find((error) => serverTrouble(error) !== undefined) ?? firstCause(errors);
  return Promise.all(running);
}

/** After the first error PostgreSQL refuses all other statements of the transaction, which says nothing about them. */
function firstCause(errors: readonly unknown[]): unknown {
  return errors.find((error) => !(error instanceof Error && "code" in error && error.code === "25P02")) ?? errors[0];
}

function lockStatement(writes: readonly Write[]): { readonly name: string; readonly text: string; values: unknown[] } {
  const numbers = [...new Set(writes.flatMap(({ keys }) => keys).map(lockNumber))];
  numbers.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    name: "lock",
    text: "SELECT pg_advisory_xact_lock(key) FROM unnest($1::bigint[]) AS locks(key)",
    values: [numbers.map(String)],
  };
}

function runAll(transaction: WriteDatabase, writes: readonly Write[], onNote: () => void): readonly Promise<Outcome>[] {
  const latest = new Map<string, Promise<unknown>>();
  return writes.map((write) => {
    const earlier = write.keys.flatMap((key) => latest.get(key) ?? []);
    const running = runAfter(earlier, () => runOne(transaction, write, onNote));
    for (const key of write.keys) latest.set(key, running);
    return running;
  });
}

async function runAfter(earlier: readonly Promise<unknown>[], run: () => Promise<Outcome>): Promise<Outcome> {
  if (earlier.length > 0) await Promise.allSettled(earlier);
  return run();
}

async function runOne(transaction: WriteDatabase, { name, input }: Write, onNote: () => void): Promise<Outcome> {
  let hasChanged = false;
  const database: WriteDatabase = {
    ...transaction,
    all: (sql, ...values) => {
      hasChanged ||= !isRead(sql);
      return transaction.all(sql, ...values);
    },
    get: (sql, ...values) => {
      hasChanged ||= !isRead(sql);
      return transaction.get(sql, ...values);
    },
    one: (sql, ...values) => {
      hasChanged ||= !isRead(sql);
      return transaction.one(sql, ...values);
    },
    run: (sql, ...values) => {
      hasChanged = true;
      return transaction.run(sql, ...values);
    },
  };
  const write = WRITES[name] as (database: WriteDatabase, input: unknown) => Promise<unknown>;
  try {
    const result = await write(database, input);
    const note = noteOf(name, input, result);
    if (note !== undefined) {
      await transaction.run(ADD_NOTE, JSON.stringify(note));
      onNote();
    }
    return { result };
  } catch (error) {
    if (hasChanged || !(error instanceof AppError) || error.code.startsWith("storage_")) throw error;
    return outcomeOf(error);
  }
}

function isRead(sql: string): boolean {
  return /^\s*SELECT\b/.test(sql);
}

function createTransaction(client: ClientBase, damage: DamageLog, onEvent: () => void): WriteDatabase {
  const database = statementsOn(client, damage);
  let first: Promise<number> | undefined;
  let changes = 0;
  let total: Promise<number> | undefined;
  let added = 0;
  return {
    ...database,
    async nextChange() {
      const place = changes++;
      if (place >= CHANGES_PER_TRANSACTION) throw new Error("a transaction has too many changes");
      first ??= readFirstChange();
      return (await first) + place;
    },
    async nextEventTotal(bytes) {
      total ??= latestTotal(database);
      added += bytes;
      const here = added;
      return (await total) + here;
    },
    // Events are handed on when they are visible to all nodes.
    announce: onEvent,
  };

  async function readFirstChange(): Promise<number> {
    const row = await database.one(
      `SELECT base + pg_current_xact_id()::text::bigint * ${CHANGES_PER_TRANSACTION} AS first FROM change_base`,
    );
    return number(row, "first");
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof AppError) return { refusals: error.refusals, cause: error.cause };
  return { fault: error };
}
