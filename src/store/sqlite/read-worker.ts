// A thread for reads that may touch many rows, so that the thread that answers calls never waits for them.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { AppError, type Refusal } from "#core/app-error.ts";
import { tryPost } from "#core/thread/try-post.ts";
import type { ReadDatabase } from "#store/database.ts";
import { READS } from "#store/records/reads.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import { lowerPriority } from "#tuning/lower-priority.ts";
import { Connection } from "./connection.ts";
import { createRecordReader } from "./record-reader.ts";

export interface ReadRequest {
  readonly name: keyof typeof READS;
  readonly input: unknown;
}

export type ReadAnswer =
  | { readonly result: unknown }
  | { readonly refusals: readonly [Refusal, ...Refusal[]]; readonly cause: unknown }
  | { readonly fault: string };

const CACHE_MB = 8;

lowerPriority();
const port: MessagePort = parentPort ?? fail("read-worker.ts runs only as a worker");
const { file } = workerData as { readonly file: string };
let connection: Connection | undefined;
let reader: ReadDatabase | undefined;

port.on("message", (request: ReadRequest) => void reply(request));
keepCompiled();

async function reply(request: ReadRequest): Promise<void> {
  const error = tryPost(port, await answer(request));
  if (error !== undefined) tryPost(port, { fault: error.message } satisfies ReadAnswer);
}

async function answer({ name, input }: ReadRequest): Promise<ReadAnswer> {
  try {
    connection ??= new Connection(file, "read", CACHE_MB);
    reader ??= createRecordReader(connection);
    const read = READS[name] as (reader: ReadDatabase, input: unknown) => Promise<unknown>;
    return { result: await read(reader, input) };
  } catch (error) {
    // After trouble with the disk only a new handle reads what is really there.
    connection?.close();
    connection = undefined;
    reader = undefined;
    if (error instanceof AppError) return { refusals: error.refusals, cause: error.cause };
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function fail(text: string): never {
  throw new Error(text);
}
