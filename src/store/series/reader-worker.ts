// A thread that answers queries: decoding, aggregating and writing CSV happen here, not on the thread that answers HTTP.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { CsvBytes } from "#core/telemetry/csv-bytes.ts";
import { tryPost } from "#core/thread/try-post.ts";
import { createSqliteReader } from "#store/series/sqlite/sqlite-chunk-reader.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import { lowerPriority } from "#tuning/lower-priority.ts";
import type { HotSeries } from "./engine.ts";
import type { SeriesQuery } from "./query.ts";
import { type ReadFailure, renderFailure } from "./read-failure.ts";
import { rowBound } from "./row-bound.ts";
import { type QueryRun, startQuery } from "./run-query.ts";
import { createTimesCache } from "./times-cache.ts";

export type ReaderRequest =
  | {
      readonly kind: "open" | "bound";
      readonly id: number;
      readonly query: SeriesQuery;
      readonly hot: readonly HotSeries[];
    }
  | { readonly kind: "pull"; readonly id: number }
  | { readonly kind: "drop"; readonly id: number };

export type ReaderAnswer =
  | { readonly id: number; readonly bytes: Uint8Array; readonly done: boolean }
  | { readonly id: number; readonly bound: number }
  | { readonly id: number; readonly failure: ReadFailure };

/** Decoded times that a thread keeps: those of ten devices and a day at a point a second. */
const TIMES_BYTES = 8 * 1024 * 1024;

lowerPriority();
const port: MessagePort = parentPort ?? fail("reader-worker.ts runs only as a worker");
const { file } = workerData as { readonly file: string };
const database = new Connection(file, "read", 4);
const reader = createSqliteReader(database);
const times = createTimesCache(TIMES_BYTES);
const csv = new CsvBytes();
const runs = new Map<number, QueryRun>();

const elapsed = () => performance.now();

port.on("message", (request: ReaderRequest) => {
  const { id } = request;
  if (request.kind === "drop") {
    runs.delete(id);
    return;
  }
  try {
    if (request.kind === "bound") {
      const bound = database.snapshot(() => rowBound(reader, request.query, request.hot));
      say({ id, bound });
      return;
    }
    if (request.kind === "open") {
      runs.set(id, startQuery({ reader, times, csv, elapsed }, request.query, request.hot));
    }
    pull(id);
  } catch (error) {
    runs.delete(id);
    say({ id, failure: renderFailure(error) });
  }
});
keepCompiled();

/** All reads of one pull see the same state of the store. */
function pull(id: number): void {
  const run = runs.get(id);
  if (run === undefined) return;
  const { bytes, done } = database.snapshot(() => run.pull());
  if (done) runs.delete(id);
  say({ id, bytes, done }, [bytes.buffer as ArrayBuffer]);
}

function say(answer: ReaderAnswer, transfer?: readonly ArrayBuffer[]): void {
  const error = tryPost(port, answer, transfer);
  if (error !== undefined) tryPost(port, { id: answer.id, failure: renderFailure(error) } satisfies ReaderAnswer);
}

function fail(text: string): never {
  throw new Error(text);
}
