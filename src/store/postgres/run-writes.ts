// Runs the writes of a batch at the same time over one connection. Writes that share a key run in their order: the later
// one begins when the earlier one has sent everything, and the server works through what was sent in its order.
import { AppError, type Refusal } from "#core/app-error.ts";
import type { WriteDatabase } from "#store/database.ts";
import { type Writes, writeNamed } from "#store/records/writes.ts";
import { ADD_NOTE } from "./node-notes.ts";

export interface Write {
  readonly name: keyof Writes;
  readonly input: unknown;
  /** The locks that it takes. */
  readonly keys: readonly string[];
  /** What it really changes, where that is less than what its locks protect; else it shares nothing of them. */
  readonly parts: readonly string[] | undefined;
}

export type Outcome =
  | { readonly result: unknown }
  | { readonly refusals: readonly [Refusal, ...Refusal[]]; readonly cause: unknown }
  | { readonly fault: unknown };

export interface Running {
  /** When the write has sent its last statement. */
  readonly ready: Promise<unknown>;
  readonly outcome: Promise<Outcome>;
}

/** Who has to be waited for at a key. */
interface Earlier {
  alone: readonly Promise<unknown>[];
  together: Promise<unknown>[];
}

export function runAll(transaction: WriteDatabase, writes: readonly Write[], onNote: () => void): readonly Running[] {
  const places = new Map<string, Earlier>();
  const placeOf = (key: string): Earlier => {
    const place = places.get(key) ?? { alone: [], together: [] };
    places.set(key, place);
    return place;
  };
  return writes.map((write) => {
    const shared = write.parts === undefined ? [] : write.keys.map(placeOf);
    const own = (write.parts ?? write.keys).map(placeOf);
    const earlier = [
      ...shared.flatMap(({ alone }) => alone),
      ...own.flatMap(({ alone, together }) => [...alone, ...together]),
    ];
    const running = runOne(transaction, write, { earlier, onNote });
    for (const place of shared) place.together.push(running.ready);
    for (const place of own) {
      place.alone = [running.ready];
      place.together = [];
    }
    return running;
  });
}

interface Turn {
  readonly earlier: readonly Promise<unknown>[];
  readonly onNote: () => void;
}

function runOne(transaction: WriteDatabase, { name, input }: Write, { earlier, onNote }: Turn): Running {
  const hasSentLast = Promise.withResolvers<void>();
  let hasChanged = false;
  const reading = (sql: string) => {
    hasChanged ||= !isRead(sql);
  };
  const database: WriteDatabase = {
    ...transaction,
    all: (sql, ...values) => {
      reading(sql);
      return transaction.all(sql, ...values);
    },
    get: (sql, ...values) => {
      reading(sql);
      return transaction.get(sql, ...values);
    },
    one: (sql, ...values) => {
      reading(sql);
      return transaction.one(sql, ...values);
    },
    run: (sql, ...values) => {
      hasChanged = true;
      return transaction.run(sql, ...values);
    },
    send: (sql, ...values) => {
      hasChanged = true;
      transaction.send(sql, ...values);
    },
    row: (insert, ...values) => {
      hasChanged = true;
      transaction.row(insert, ...values);
    },
    last: (sql, ...values) => {
      hasChanged = true;
      const answer = transaction.last(sql, ...values);
      hasSentLast.resolve();
      return answer;
    },
  };
  const write = writeNamed(name);

  async function run(): Promise<Outcome> {
    if (earlier.length > 0) await Promise.allSettled(earlier);
    try {
      const result = await write.run(database, input);
      const note = write.informs.nodes?.(input, result);
      if (note !== undefined) {
        transaction.send(ADD_NOTE, JSON.stringify(note));
        onNote();
      }
      return { result };
    } catch (error) {
      if (hasChanged || !(error instanceof AppError) || error.code.startsWith("storage_")) throw error;
      return outcomeOf(error);
    }
  }

  const outcome = run();
  return { outcome, ready: Promise.race([outcome, hasSentLast.promise]) };
}

function isRead(sql: string): boolean {
  return /^\s*SELECT\b/.test(sql);
}

export function outcomeOf(error: unknown): Outcome {
  if (error instanceof AppError) return { refusals: error.refusals, cause: error.cause };
  return { fault: error };
}
