import { Worker } from "node:worker_threads";
import { refuse } from "#core/app-error.ts";
import type { HotSeries } from "./engine.ts";
import type { SeriesQuery } from "./query.ts";
import type { ReaderAnswer, ReaderRequest } from "./reader-worker.ts";

export interface Readers {
  /** The rows of the answer, some at a time. Whoever stops listening frees the thread. */
  run(query: SeriesQuery, hot: readonly HotSeries[]): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

const MAX_RUNNING = 64;

/** Queries go to the thread with the fewest of them. */
export function openReaders(file: string, count: number, onFault: (error: Error) => void): Readers {
  const threads = Array.from({ length: count }, () => openReader(file, onFault));
  let lastId = 0;
  return {
    async *run(query, hot) {
      const [thread] = [...threads].sort((a, b) => a.waiting.size - b.waiting.size);
      if (thread === undefined || thread.waiting.size >= MAX_RUNNING) {
        throw refuse("overloaded", "too many queries run at once; try again in a moment");
      }
      const id = ++lastId;
      let isDone = false;
      try {
        let answer = await thread.ask({ kind: "open", id, query, hot });
        while (!answer.done) {
          if (answer.bytes.length > 0) yield answer.bytes;
          answer = await thread.ask({ kind: "pull", id });
        }
        isDone = true;
        if (answer.bytes.length > 0) yield answer.bytes;
      } finally {
        if (!isDone) thread.drop(id);
      }
    },
    async close() {
      for (const thread of threads) await thread.close();
    },
  };
}

type Rows = Extract<ReaderAnswer, { bytes: Uint8Array }>;

function openReader(file: string, onFault: (error: Error) => void) {
  const worker = new Worker(new URL("./reader-worker.ts", import.meta.url), { workerData: { file } });
  const waiting = new Map<number, { resolve: (rows: Rows) => void; reject: (error: Error) => void }>();
  let isClosing = false;
  worker.on("message", (answer: ReaderAnswer) => {
    const { resolve, reject } = waiting.get(answer.id) ?? {};
    waiting.delete(answer.id);
    if ("failure" in answer) reject?.(new Error(`a query failed: ${answer.failure}`));
    else resolve?.(answer);
  });
  const end = (error: unknown) => {
    for (const { reject } of waiting.values()) reject(refuse("storage_unavailable", "telemetry cannot be read now"));
    waiting.clear();
    if (!isClosing) onFault(error instanceof Error ? error : new Error(String(error)));
  };
  worker.on("error", end);
  return {
    waiting,
    ask(request: Exclude<ReaderRequest, { kind: "drop" }>): Promise<Rows> {
      return new Promise((resolve, reject) => {
        waiting.set(request.id, { resolve, reject });
        worker.postMessage(request);
      });
    },
    drop(id: number) {
      waiting.delete(id);
      worker.postMessage({ kind: "drop", id } satisfies ReaderRequest);
    },
    async close() {
      isClosing = true;
      await worker.terminate();
    },
  };
}
