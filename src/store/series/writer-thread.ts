import type { Worker } from "node:worker_threads";
import { refuse } from "#core/app-error.ts";
import { tryPost } from "#core/thread/try-post.ts";
import type { SeriesDefinition } from "./batch.ts";
import type { StoredPlace } from "./checksum.ts";
import type { Latest } from "./chunk.ts";
import type { StoreSpace } from "./chunk-store.ts";
import type { HeldPoints, HeldRow } from "./held-store.ts";
import type { Load } from "./plan-load.ts";
import { parseFailure } from "./read-failure.ts";
import type { OpenPoints } from "./series-writer.ts";
import type { DeviceSeries, NamedLatest } from "./shared-engine.ts";
import type { SeriesName } from "./shared-store.ts";
import { BACKGROUND, type WriterAnswer, type WriterOpened, type WriterRequest } from "./writer-messages.ts";

type Body<Request> = Request extends unknown ? Omit<Request, "id"> : never;

type Asked<Kind extends WriterRequest["kind"]> = Omit<Extract<WriterRequest, { kind: Kind }>, "kind" | "id">;

export interface WriterThread {
  append(batch: Uint8Array<ArrayBuffer>): Promise<void>;
  hold(points: readonly HeldPoints[]): Promise<void>;
  releasable(byMs: number): Promise<readonly HeldRow[]>;
  forgetHeld(rows: readonly HeldRow[]): Promise<void>;
  load(load: Load): Promise<void>;
  pack(asked: Asked<"pack">): Promise<readonly Uint8Array[]>;
  /** Returns the last value of each column. */
  loadPacked(asked: Asked<"loadPacked">): Promise<readonly Latest[]>;
  newestBefore(device: number, before: number): Promise<number | undefined>;
  snapshot(series: readonly DeviceSeries[], from: number, to: number): Promise<OpenPoints>;
  define(wanted: readonly SeriesName[]): Promise<readonly SeriesDefinition[]>;
  seriesOf(deviceIds: readonly string[]): Promise<readonly SeriesDefinition[]>;
  latest(deviceId: string): Promise<readonly NamedLatest[]>;
  deleteDevice(deviceId: string): Promise<void>;
  drop(deviceId: string, series: readonly number[], before: number): Promise<number>;
  countChunks(): Promise<number>;
  space(): Promise<StoreSpace | undefined>;
  settle(now: number): Promise<void>;
  close(): Promise<void>;
}

interface Opened extends WriterOpened {
  readonly thread: WriterThread;
}

interface Listeners {
  readonly onFault: (error: Error) => void;
  readonly onTrouble: (error: Error) => void;
  readonly onDamaged: (place: StoredPlace) => void;
}

/** The HTTP thread's end of the writing thread. */
export async function openWriterThread(worker: Worker, { onFault, onTrouble, onDamaged }: Listeners): Promise<Opened> {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let isClosing = false;
  let isEnded = false;

  const opened = await new Promise<WriterOpened>((resolve, reject) => {
    worker.once("message", resolve);
    // An error arrives from a thread without its class, so the start reports it as a plain error.
    worker.once("error", (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      reject(new Error(`the telemetry cannot be opened: ${reason}`, { cause: error }));
    });
  });
  worker.removeAllListeners("error");
  worker.on("message", (answer: WriterAnswer) => {
    const { resolve, reject } = waiting.get(answer.id) ?? {};
    waiting.delete(answer.id);
    if ("result" in answer) resolve?.(answer.result);
    else if ("damaged" in answer) onDamaged(answer.damaged);
    else if (answer.id === BACKGROUND) onTrouble(parseFailure(answer.failure));
    else reject?.(parseFailure(answer.failure));
  });
  const end = (error: Error) => {
    if (isEnded) return;
    isEnded = true;
    for (const { reject } of waiting.values()) reject(refuse("storage_unavailable", "telemetry cannot be written now"));
    waiting.clear();
    if (!isClosing) onFault(error);
  };
  worker.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => end(new Error("the thread that writes telemetry ended")));

  function ask<Result>(body: Body<WriterRequest>, transfer: ArrayBuffer[] = []): Promise<Result> {
    if (isEnded) return Promise.reject(refuse("storage_unavailable", "telemetry is closed"));
    const id = ++lastId;
    return new Promise<Result>((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      const error = tryPost(worker, { ...body, id }, transfer);
      if (error === undefined) return;
      waiting.delete(id);
      reject(error);
    });
  }

  const thread: WriterThread = {
    append: (batch) => ask({ kind: "append", batch }, [batch.buffer]),
    hold: (points) => ask({ kind: "hold", points }),
    releasable: (byMs) => ask({ kind: "releasable", byMs }),
    forgetHeld: (rows) => ask({ kind: "forgetHeld", rows }),
    load: (load) => ask({ kind: "load", load }, buffersOf(load)),
    pack: (asked) => ask({ kind: "pack", ...asked }),
    loadPacked: (asked) => ask({ kind: "loadPacked", ...asked }),
    newestBefore: (device, before) => ask({ kind: "newestBefore", device, before }),
    snapshot: (series, from, to) => ask({ kind: "snapshot", series, from, to }),
    deleteDevice: (deviceId) => ask({ kind: "deleteDevice", deviceId }),
    define: (wanted) => ask({ kind: "define", wanted }),
    seriesOf: (deviceIds) => ask({ kind: "seriesOf", deviceIds }),
    latest: (deviceId) => ask({ kind: "latest", deviceId }),
    drop: (deviceId, series, before) => ask({ kind: "drop", deviceId, series, before }),
    countChunks: () => ask({ kind: "countChunks" }),
    space: () => ask({ kind: "space" }),
    settle: (now) => ask({ kind: "settle", now }),
    async close() {
      isClosing = true;
      await ask({ kind: "close" });
      await worker.terminate();
    },
  };
  return { thread, ...opened };
}

/** Columns may share their times, and a buffer can be transferred only once. */
function buffersOf({ columns }: Load): ArrayBuffer[] {
  const arrays = columns.flatMap(([, { times, values }]) =>
    Array.isArray(values) ? [times] : [times, values as Uint8Array],
  );
  return [...new Set(arrays.map((array) => array.buffer as ArrayBuffer))];
}
