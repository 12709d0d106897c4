// Group commit: all writes of a batch share one transaction and thus one fsync, and none is answered before it. A write
// that refuses is undone alone. Trouble with the disk fails the whole batch, and then nothing of it is stored.
//
// Undoing one write needs a savepoint around each write, and with savepoints SQLite copies every page before its first
// change. Refusals are rare, so a batch first runs without savepoints. Only when a write refuses is the batch undone
// and run again with them.
import { AppError, type Refusal } from "#core/app-error.ts";
import type { AddedEvent } from "#store/database.ts";
import { failpoint } from "#store/failpoint.ts";
import { type Writes, writeNamed } from "#store/records/writes.ts";
import { type Connection, diskTrouble } from "./connection.ts";
import { createRecordWriter, type RecordWriter } from "./record-writer.ts";

/** The first message of the writing thread. It alone loads the writes, so it says what others have to know of them. */
export interface Ready {
  readonly fromReserve: readonly (keyof Writes)[];
}

export interface WriteRequest {
  readonly id: number;
  readonly name: keyof Writes;
  readonly input: unknown;
}

export type WriteAnswer =
  | {
      readonly id: number;
      readonly result: unknown;
      /** What the write added to the outbox. */
      readonly events?: readonly AddedEvent[];
    }
  | { readonly id: number; readonly refusals: readonly [Refusal, ...Refusal[]]; readonly cause?: unknown }
  | { readonly id: number; readonly fault: string };

export async function commitBatch(
  database: Connection,
  requests: readonly WriteRequest[],
  writer = createRecordWriter(database),
): Promise<readonly WriteAnswer[]> {
  try {
    failpoint("commit.before");
    database.run("BEGIN IMMEDIATE");
    const answers =
      (await runTogether({ database, writer }, requests)) ?? (await runApart({ database, writer }, requests));
    failpoint("commit.inside");
    database.run("COMMIT");
    failpoint("commit.after");
    return answers;
  } catch (error) {
    writer.forget();
    if (database.inTransaction) database.script("ROLLBACK");
    return refuseBatch(requests, error);
  }
}

export function refuseBatch(requests: readonly WriteRequest[], error: unknown): readonly WriteAnswer[] {
  return requests.map(({ id }) => failure(id, error));
}

interface Target {
  readonly database: Connection;
  readonly writer: RecordWriter;
}

/** Undefined when a write refused: then nothing of the batch has happened. */
async function runTogether(
  { database, writer }: Target,
  requests: readonly WriteRequest[],
): Promise<readonly WriteAnswer[] | undefined> {
  const answers: WriteAnswer[] = [];
  try {
    for (const request of requests) answers.push(await perform(writer, request));
    writer.release();
    return answers;
  } catch (error) {
    if (concernsAll(database, error)) throw error;
    writer.forget();
    database.script("ROLLBACK; BEGIN IMMEDIATE");
    return undefined;
  }
}

async function runApart(
  { database, writer }: Target,
  requests: readonly WriteRequest[],
): Promise<readonly WriteAnswer[]> {
  const answers: WriteAnswer[] = [];
  for (const request of requests) {
    database.run("SAVEPOINT one");
    try {
      const answer = await perform(writer, request);
      writer.release();
      database.run("RELEASE one");
      answers.push(answer);
    } catch (error) {
      if (concernsAll(database, error)) throw error;
      writer.forget();
      database.script("ROLLBACK TO one; RELEASE one");
      answers.push(failure(request.id, error));
    }
  }
  return answers;
}

async function perform(writer: RecordWriter, { id, name, input }: WriteRequest): Promise<WriteAnswer> {
  const write = writeNamed(name);
  // What a write added that was undone has not happened.
  writer.takeAdded();
  if (write.keepsMemory !== true) {
    writer.release();
    writer.forget();
  }
  const result = await write.run(writer, input);
  const events = writer.takeAdded();
  return events === undefined ? { id, result } : { id, result, events };
}

/** Without the surrounding transaction there is nothing left to commit: the batch as a whole has failed. */
function concernsAll(database: Connection, error: unknown): boolean {
  return !database.inTransaction || diskTrouble(error) !== undefined || isDiskRefusal(error);
}

function isDiskRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code.startsWith("storage_");
}

function failure(id: number, error: unknown): WriteAnswer {
  if (error instanceof AppError) return { id, refusals: error.refusals, cause: error.cause };
  return { id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
