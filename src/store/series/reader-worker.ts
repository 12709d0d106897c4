// A thread that answers queries: decoding, aggregating and rendering happen here, not on the thread that answers HTTP.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Renderer } from "#core/telemetry/render/renderer.ts";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import { copyBlock, type RowBlock } from "#core/telemetry/row-block.ts";
import { tryPost } from "#core/thread/try-post.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import { lowerPriority } from "#tuning/lower-priority.ts";
import type { HotSeries } from "./engine.ts";
import { createFinishedCache } from "./finished-buckets.ts";
import { largeBuffers } from "./hot-bytes.ts";
import { type ChunkAddress, loadChunkModule } from "./load-chunk-module.ts";
import type { SeriesQuery } from "./query.ts";
import { type ReadFailure, renderFailure } from "./read-failure.ts";
import { loadRenderer } from "./render/load-renderer.ts";
import { rowBound } from "./row-bound.ts";
import { type QueryRun, startEarly, startQuery } from "./run-query.ts";
import type { OpenPoints } from "./series-writer.ts";
import { createTimesCache } from "./times-cache.ts";

export type ReaderRequest =
  | {
      readonly kind: "open" | "bound";
      readonly id: number;
      readonly query: SeriesQuery;
      readonly hot: readonly HotSeries[];
      /** Undefined: the rows are returned as blocks. */
      readonly rendering?: Rendering | undefined;
    }
  /** Has no answer: the thread may begin to read. The start, or a drop, follows when the unsealed points are known. */
  | {
      readonly kind: "prepare";
      readonly id: number;
      readonly query: SeriesQuery;
      readonly rendering?: Rendering | undefined;
    }
  | { readonly kind: "start"; readonly id: number; readonly points: OpenPoints }
  | { readonly kind: "pull"; readonly id: number }
  | { readonly kind: "drop"; readonly id: number };

export type ReaderAnswer =
  | { readonly id: number; readonly piece: Uint8Array | RowBlock; readonly isLast: boolean }
  | { readonly id: number; readonly bound: number }
  | { readonly id: number; readonly failure: ReadFailure };

/** Decoded times that a thread keeps: those of ten devices and a day at a point a second. */
const TIMES_BYTES = 8 * 1024 * 1024;

export interface ReaderData {
  readonly chunks: ChunkAddress;
  /** Finished buckets: the bytes that the thread may keep, and where it says how many it has. */
  readonly finished: { readonly room: number; readonly used: Int32Array };
}

lowerPriority();
const port: MessagePort = parentPort ?? fail("reader-worker.ts runs only as a worker");
const { chunks, finished: kept } = workerData as ReaderData;
const reader = await (await loadChunkModule(chunks)).openReader(chunks.place, "queries", chunks.copy);
const times = createTimesCache(TIMES_BYTES);
const finished =
  kept.room > 0 ? createFinishedCache(kept.room, (bytes) => Atomics.store(kept.used, 0, bytes)) : undefined;
/** Queries at once that keep what they compute: each holds it until a stretch is complete. Further ones only use what is kept. */
const MOST_KEEPING = 4;
const cacheOf = () => finished && { ...finished, isKeeping: runs.size < MOST_KEEPING };
const runs = new Map<number, Run>();

interface Run extends QueryRun {
  readonly renderer: Renderer | undefined;
  /** Nobody else has these points. */
  readonly hot: readonly HotSeries[];
}

/** Those whose unsealed points are not known yet. */
const prepared = new Map<number, Prepared>();

interface Prepared extends QueryRun {
  readonly rendering: Rendering | undefined;
  readonly begin: (points: OpenPoints) => void;
}

const elapsed = () => performance.now();

port.on("message", (request: ReaderRequest) => {
  if (request.kind === "drop") {
    prepared.delete(request.id);
    runs.delete(request.id);
  } else if (request.kind === "prepare") prepare(request);
  else void answer(request);
});
keepCompiled();

function prepare({ id, query, rendering }: Extract<ReaderRequest, { kind: "prepare" }>): void {
  const { promise, resolve } = Promise.withResolvers<OpenPoints>();
  prepared.set(id, {
    ...startEarly({ reader, times, finished: cacheOf(), elapsed }, query, promise),
    rendering,
    begin: resolve,
  });
}

async function answer(request: Exclude<ReaderRequest, { kind: "drop" | "prepare" }>): Promise<void> {
  const { id } = request;
  try {
    if (request.kind === "bound") {
      say({ id, bound: await rowBound(reader, request.query, request.hot) });
      return;
    }
    if (request.kind === "open") {
      const { query, hot, rendering } = request;
      const renderer = rendering && (await loadRenderer(rendering));
      runs.set(id, { ...startQuery({ reader, times, finished: cacheOf(), elapsed }, query, hot), renderer, hot });
    }
    if (request.kind === "start") {
      const { rendering, begin, pull } = prepared.get(id) ?? fail("a query starts that was not prepared");
      prepared.delete(id);
      begin(request.points);
      runs.set(id, { pull, renderer: rendering && (await loadRenderer(rendering)), hot: request.points.hot });
    }
    await pull(id);
  } catch (error) {
    runs.delete(id);
    say({ id, failure: renderFailure(error) });
  }
}

async function pull(id: number): Promise<void> {
  const run = runs.get(id);
  if (run === undefined) return;
  const { block, isLast } = await run.pull();
  if (isLast) runs.delete(id);
  if (run.renderer === undefined) {
    const piece = copyBlock(block);
    say({ id, piece, isLast }, buffersOf(piece));
  } else {
    const bytes = run.renderer.render(block, isLast);
    say({ id, piece: bytes, isLast }, [bytes.buffer as ArrayBuffer]);
  }
  if (isLast) for (const buffer of largeBuffers(run.hot)) buffer.transfer(0);
}

/** The block owns them, so they can be given away instead of copied. */
function buffersOf({ times, repeats, columns }: RowBlock): readonly ArrayBuffer[] {
  const arrays = [times, repeats, ...columns.flatMap(({ values, presence }) => [values, presence])];
  return arrays.flatMap((array) => (ArrayBuffer.isView(array) ? [array.buffer as ArrayBuffer] : []));
}

function say(answer: ReaderAnswer, transfer?: readonly ArrayBuffer[]): void {
  const error = tryPost(port, answer, transfer);
  if (error !== undefined) tryPost(port, { id: answer.id, failure: renderFailure(error) } satisfies ReaderAnswer);
}

function fail(text: string): never {
  throw new Error(text);
}
