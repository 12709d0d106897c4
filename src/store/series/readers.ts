import { Worker } from "node:worker_threads";
import { refuse } from "#core/app-error.ts";
import { type ByteBudgets, createByteBudgets } from "#core/share/byte-budgets.ts";
import { createByteShares } from "#core/share/byte-shares.ts";
import { createFairShare, type FairShare, type Leave } from "#core/share/fair-share.ts";
import { createShares, type Shares } from "#core/share/shares.ts";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import { tryPost } from "#core/thread/try-post.ts";
import type { PieceOf, Rows } from "#service/ports/telemetry-store.ts";
import { THREAD_OPTIONS } from "#tuning/thread-options.ts";
import type { HotSeries } from "./engine.ts";
import { bytesOf, largeBuffers } from "./hot-bytes.ts";
import type { ChunkAddress } from "./load-chunk-module.ts";
import type { SeriesQuery } from "./query.ts";
import { parseFailure, type ReadFailure } from "./read-failure.ts";
import type { ReaderAnswer, ReaderData, ReaderRequest } from "./reader-worker.ts";
import { createHomes } from "./series-homes.ts";
import type { OpenPoints } from "./series-writer.ts";

export interface Readers {
  /**
   * Resolves when the first rows are ready, so that a refusal comes before them. The thread becomes free when the
   * caller stops reading.
   */
  open<Rendered extends Rendering | undefined>(
    asked: AskedRows<Rendered>,
    requester: string,
  ): Promise<Rows<PieceOf<Rendered>>>;
  /**
   * As `open`, where the unsealed points are not known yet. A thread that has nothing else to do begins to read meanwhile: the
   * others have their turns first.
   */
  openEarly<Rendered extends Rendering | undefined>(
    asked: Omit<AskedRows<Rendered>, "hot"> & { readonly points: Promise<OpenPoints> },
    requester: string,
  ): Promise<Rows<PieceOf<Rendered>>>;
  /** How many rows the answer can have at most. The points are given away. */
  bound(query: SeriesQuery, hot: readonly HotSeries[], requester: string): Promise<number>;
  /** How many threads there are now. */
  threads(): number;
  close(): Promise<void>;
}

interface AskedRows<Rendered> {
  readonly query: SeriesQuery;
  /** The unsealed points, which are given away. */
  readonly hot: readonly HotSeries[];
  /** Undefined: the rows come as blocks. */
  readonly rendering: Rendered;
}

interface ReaderSettings {
  readonly count: number;
  /** Bytes of finished buckets that all threads may keep; 0: none. */
  readonly finishedBytes?: number;
  /** A thread costs 25 MB. Threads that have been idle for this long end, except one. */
  readonly spareMs?: number;
  /** An answer that nobody has read from for this long loses its place to another one when no place is left. */
  readonly idleMs?: number;
  readonly shares?: Pick<Shares, "open" | "watch">;
  readonly budgets?: Pick<ByteBudgets, "open" | "watch">;
}

/** Running answers per thread: each holds its unsealed points until it ends. */
const MAX_RUNNING = 64;
/** Bytes of unsealed points that all running answers may hold, and those of one requester. */
const POINTS_BYTES = 64 * 1024 * 1024;
const POINTS_BYTES_PER_KEY = POINTS_BYTES / 2;
/** One requester has at most half of the places. */
const MAX_RUNNING_PER_KEY = 32;
/**
 * A thread works some 25 ms at a time for a query. It is given two such pieces at once, so that the next is ready when
 * one is done. The others wait here and not at the thread, so that turns are taken by requesters and not by queries.
 */
const TURNS = {
  slots: 2,
  slotsPerKey: 2,
  waiting: Number.POSITIVE_INFINITY,
  waitingPerKey: Number.POSITIVE_INFINITY,
  quantum: 25,
};

/**
 * Queries go to the thread that has the fewest of them. There are at most `count` threads, and no more than were ever
 * needed at once. A thread that ends by itself fails its queries; the next query starts another one.
 */
export function openReaders(
  chunks: ChunkAddress,
  {
    count,
    finishedBytes = 0,
    spareMs = 10_000,
    idleMs = 30_000,
    shares = createShares(),
    budgets = createByteBudgets(),
  }: ReaderSettings,
  onTrouble: (error: Error) => void,
): Readers {
  const threads: Thread[] = [];
  const places = shares.open("queries", {
    slots: MAX_RUNNING * count,
    slotsPerKey: MAX_RUNNING_PER_KEY * count,
    waiting: 0,
    waitingPerKey: 0,
  });
  const sum = (of: "inside" | "waiting") => threads.reduce((total, { turns }) => total + turns[of], 0);
  shares.watch("query_turns", {
    get inside() {
      return sum("inside");
    },
    get waiting() {
      return sum("waiting");
    },
    refused: 0,
  });
  /** Ends one of this requester's answers first, because this requester wants another. */
  const endIdle = (requester: string) => {
    for (const whose of [requester, undefined]) for (const thread of threads) if (thread.endIdle(idleMs, whose)) return;
  };
  const placeFor = (requester: string): Leave => {
    let place = places.tryEnter(requester);
    if (place === undefined) {
      endIdle(requester);
      place = places.tryEnter(requester);
    }
    if (place === undefined) throw refuse("overloaded", "too many queries run at once; try again in a moment");
    return place;
  };
  const points = createByteShares(budgets.open("query_points", POINTS_BYTES), POINTS_BYTES_PER_KEY);
  /** Waits for a place, and for room for the points. A query larger than a requester's part runs alone. */
  const roomFor = (requester: string, hot: readonly HotSeries[], leave = placeFor(requester)): Leave => {
    const giveBack = points.take(requester, Math.min(bytesOf(hot), POINTS_BYTES_PER_KEY));
    if (typeof giveBack !== "function") {
      leave();
      throw refuse(
        "overloaded",
        "queries under way hold too many points that are not sealed yet; try again in a moment",
      );
    }
    return () => {
      leave();
      giveBack();
    };
  };
  budgets.watch({
    name: "finished_buckets",
    limit: finishedBytes,
    used: () => threads.reduce((total, thread) => total + thread.finishedBytes(), 0),
  });
  const closing = new Set<Promise<void>>();
  const endSpare = setInterval(() => {
    const limit = performance.now() - spareMs;
    for (const thread of threads.filter((one) => one.runs.size + one.asked() === 0 && one.usedAt() < limit)) {
      if (threads.length === 1) return;
      threads.splice(threads.indexOf(thread), 1);
      const closed = thread.close().finally(() => closing.delete(closed));
      closing.add(closed);
    }
  }, spareMs).unref();
  let lastId = 0;
  let isClosed = false;
  const homes = createHomes<Thread>();
  const leastBusy = ({ items }: SeriesQuery) => {
    if (isClosed) throw refuse("storage_unavailable", "telemetry is closed");
    const series = items[0]?.series;
    const thread = chooseThread(homes.of(series));
    homes.note(series, thread);
    return thread;
  };
  const chooseThread = (home: Thread | undefined) => {
    const [first] = threads.sort((a, b) => a.runs.size - b.runs.size || a.asked() - b.asked());
    const isIdle = first !== undefined && first.runs.size + first.asked() === 0;
    if (isIdle || (first !== undefined && threads.length >= count)) {
      const isAsIdle =
        home && threads.includes(home) && home.runs.size + home.asked() <= first.runs.size + first.asked();
      return isAsIdle ? home : first;
    }
    const thread = openReader({ chunks, finishedBytes: Math.floor(finishedBytes / count) }, (error) => {
      threads.splice(threads.indexOf(thread), 1);
      onTrouble(error);
    });
    threads.push(thread);
    return thread;
  };
  const open: Readers["open"] = async (asked, requester) => {
    const thread = leastBusy(asked.query);
    const run = { requester, leave: roomFor(requester, asked.hot), idleSince: undefined };
    return await startRun(thread, run, { kind: "open", id: ++lastId, ...asked });
  };
  return {
    open,
    async openEarly({ query, points, rendering }, requester) {
      const thread = leastBusy(query);
      if (thread.asked() > 0) {
        const { hot, state } = await points;
        return await open({ query: { ...query, since: state }, hot, rendering }, requester);
      }
      const id = ++lastId;
      const place = placeFor(requester);
      const unprepare = thread.prepare({ kind: "prepare", id, query, rendering });
      try {
        const known = await points.catch((error: unknown) => {
          place();
          throw error;
        });
        const run = { requester, leave: roomFor(requester, known.hot, place), idleSince: undefined };
        unprepare();
        return await startRun(thread, run, { kind: "start", id, points: known });
      } catch (error) {
        // If it has not started, the thread need not wait for it any longer.
        unprepare();
        thread.forget(id);
        throw error;
      }
    },
    async bound(query, hot, requester) {
      const answer = await leastBusy(query).ask({ kind: "bound", id: ++lastId, query, hot }, requester);
      return "bound" in answer ? answer.bound : 0;
    },
    threads: () => threads.length,
    async close() {
      isClosed = true;
      clearInterval(endSpare);
      for (const thread of threads) await thread.close();
      await Promise.all(closing);
    },
  };
}

/** The points that the request takes with it: nobody else has them. */
function hotOf(request: ReaderRequest): readonly HotSeries[] {
  if (request.kind === "start") return request.points.hot;
  return "hot" in request ? request.hot : [];
}

const TOO_SLOW = "the answer was read too slowly";

type Thread = ReturnType<typeof openReader>;
type Answer = Exclude<ReaderAnswer, { readonly failure: ReadFailure }>;

interface Run {
  readonly requester: string;
  /** Gives its place back. */
  readonly leave: Leave;
  /** On a monotonic clock; undefined while the thread works for it. */
  idleSince: number | undefined;
}

async function startRun<Piece>(
  thread: Thread,
  run: Run,
  request: Exclude<ReaderRequest, { kind: "pull" | "drop" | "prepare" }>,
): Promise<Rows<Piece>> {
  const { id } = request;
  thread.runs.set(id, run);
  const ask = async (next: Parameters<Thread["ask"]>[0]) => {
    run.idleSince = undefined;
    try {
      const answer = await thread.ask(next, run.requester);
      if (!("piece" in answer)) throw new Error("a reading thread gave the wrong answer");
      if (answer.isLast) thread.end(id);
      // The thread gives what the request asked for: bytes of its rendering, or blocks.
      return { piece: answer.piece as Piece, isLast: answer.isLast, isOwn: true };
    } catch (error) {
      thread.end(id);
      throw error;
    } finally {
      run.idleSince = performance.now();
    }
  };
  let ready: Awaited<ReturnType<typeof ask>> | undefined = await ask(request);
  let isDone = false;
  const rows: Rows<Piece> = {
    async next() {
      if (isDone) return { done: true, value: undefined };
      // An answer that lost its place must not look like one that is complete.
      if (ready === undefined && !thread.runs.has(id)) throw new Error(TOO_SLOW);
      const value = ready ?? (await ask({ kind: "pull", id }));
      ready = undefined;
      isDone = value.isLast;
      return { done: false, value };
    },
    async return() {
      isDone = true;
      thread.drop(id);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => rows,
  };
  return rows;
}

function openReader(
  { chunks, finishedBytes }: { readonly chunks: ChunkAddress; readonly finishedBytes: number },
  onEnd: (error: Error) => void,
) {
  const finished = { room: finishedBytes, used: new Int32Array(new SharedArrayBuffer(4)) };
  const worker = new Worker(new URL("./reader-worker.ts", import.meta.url), {
    ...THREAD_OPTIONS,
    workerData: { chunks, finished } satisfies ReaderData,
    name: "series reader",
  });
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  const runs = new Map<number, Run>();
  const turns: FairShare = createFairShare(TURNS);
  const unavailable = () => refuse("storage_unavailable", "telemetry cannot be read now");
  let isClosing = false;
  let isEnded = false;
  const preparing = new Set<number>();
  let usedAt = performance.now();
  worker.on("message", (answer: ReaderAnswer) => {
    usedAt = performance.now();
    const { resolve, reject } = waiting.get(answer.id) ?? {};
    waiting.delete(answer.id);
    if ("failure" in answer) reject?.(parseFailure(answer.failure));
    else resolve?.(answer);
  });
  const end = (error: unknown) => {
    if (isEnded) return;
    isEnded = true;
    for (const { reject } of waiting.values()) reject(unavailable());
    waiting.clear();
    if (!isClosing) onEnd(error instanceof Error ? error : new Error(String(error)));
  };
  worker.on("error", end);
  worker.on("exit", () => end(new Error("a thread that reads telemetry ended")));
  /** The thread has nothing more to do for it. False when that was known already. */
  const endRun = (id: number): boolean => {
    runs.get(id)?.leave();
    return runs.delete(id);
  };
  const drop = (id: number) => {
    if (endRun(id)) tryPost(worker, { kind: "drop", id } satisfies ReaderRequest);
  };
  function post(request: Exclude<ReaderRequest, { kind: "drop" | "prepare" }>): Promise<Answer> {
    if (isEnded) return Promise.reject(unavailable());
    // The thread would never answer for one that lost its place while it waited for its turn.
    if (request.kind === "pull" && !runs.has(request.id)) return Promise.reject(new Error(TOO_SLOW));
    return new Promise((resolve, reject) => {
      waiting.set(request.id, { resolve, reject });
      const error = tryPost(worker, request, largeBuffers(hotOf(request)));
      if (error === undefined) return;
      waiting.delete(request.id);
      reject(error);
    });
  }
  return {
    runs,
    turns,
    drop,
    end: endRun,
    /** How many requests it was sent and has not answered. */
    asked: () => waiting.size + turns.waiting + preparing.size,
    finishedBytes: () => Atomics.load(finished.used, 0),
    /** When it last answered. */
    usedAt: () => usedAt,
    /** Returns the function that ends the preparation. */
    prepare(request: Extract<ReaderRequest, { kind: "prepare" }>): () => void {
      preparing.add(request.id);
      tryPost(worker, request);
      return () => preparing.delete(request.id);
    },
    forget: (id: number) => void tryPost(worker, { kind: "drop", id } satisfies ReaderRequest),
    async ask(request: Exclude<ReaderRequest, { kind: "drop" | "prepare" }>, requester: string): Promise<Answer> {
      const turn = turns.enter(requester);
      const leave = turn instanceof Promise ? await turn : turn;
      const begun = performance.now();
      try {
        return await post(request);
      } finally {
        leave?.(performance.now() - begun);
      }
    },
    /**
     * Ends the answer that has waited longest for its reader, if one has waited too long; only of this requester, if
     * one is given.
     */
    endIdle(idleMs: number, requester: string | undefined): boolean {
      const limit = performance.now() - idleMs;
      const [longest] = [...runs]
        .filter(([, run]) => requester === undefined || run.requester === requester)
        .flatMap(([id, { idleSince }]) => (idleSince !== undefined && idleSince < limit ? [{ id, idleSince }] : []))
        .sort((a, b) => a.idleSince - b.idleSince);
      if (longest !== undefined) drop(longest.id);
      return longest !== undefined;
    },
    async close() {
      isClosing = true;
      await worker.terminate();
    },
  };
}
