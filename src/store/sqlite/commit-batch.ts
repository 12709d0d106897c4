// Group commit: all writes of a batch share one transaction and thus one fsync, and none is answered before it.
// A write that refuses is undone alone; trouble with the disk fails the whole batch, of which then nothing is stored.
import { AppError, type Refusal } from "#core/app-error.ts";
import { failpoint } from "#store/failpoint.ts";
import { type Connection, diskTrouble } from "./connection.ts";
import { WRITES } from "./writes.ts";

export interface WriteRequest {
  readonly id: number;
  readonly name: keyof typeof WRITES;
  readonly input: unknown;
}

export type WriteAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly refusals: readonly [Refusal, ...Refusal[]]; readonly cause?: unknown }
  | { readonly id: number; readonly fault: string };

export function commitBatch(database: Connection, requests: readonly WriteRequest[]): readonly WriteAnswer[] {
  try {
    failpoint("commit.before");
    database.script("BEGIN IMMEDIATE");
    const answers = requests.map((request) => runOne(database, request));
    failpoint("commit.inside");
    database.script("COMMIT");
    failpoint("commit.after");
    return answers;
  } catch (error) {
    if (database.inTransaction) database.script("ROLLBACK");
    return refuseBatch(requests, error);
  }
}

export function refuseBatch(requests: readonly WriteRequest[], error: unknown): readonly WriteAnswer[] {
  return requests.map(({ id }) => failure(id, error));
}

function runOne(database: Connection, request: WriteRequest): WriteAnswer {
  database.script("SAVEPOINT one");
  try {
    const write = WRITES[request.name] as (database: Connection, input: unknown) => unknown;
    const result = write(database, request.input);
    database.script("RELEASE one");
    return { id: request.id, result };
  } catch (error) {
    // Without the surrounding transaction there is nothing left to commit: the batch as a whole has failed.
    if (!database.inTransaction || diskTrouble(error) !== undefined || isDiskRefusal(error)) throw error;
    database.script("ROLLBACK TO one; RELEASE one");
    return failure(request.id, error);
  }
}

function isDiskRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code.startsWith("storage_");
}

function failure(id: number, error: unknown): WriteAnswer {
  if (error instanceof AppError) return { id, refusals: error.refusals, cause: error.cause };
  return { id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
