// The main thread's end of the reading threads. Threads start when needed and end after a while without work. Each key
// has at most one thread at a time, and keys take turns by the time that their reads took. So a caller that reads a lot
// delays only itself.
import { Worker } from "node:worker_threads";
import { AppError, refuse } from "#core/app-error.ts";
import { createFairShare, type Leave } from "#core/share/fair-share.ts";
import { tryPost } from "#core/thread/try-post.ts";
import type { Reads } from "#store/records/reads.ts";
import { THREAD_OPTIONS } from "#tuning/thread-options.ts";
import type { ReadAnswer } from "./read-worker.ts";

type Input<Name extends keyof Reads> = Parameters<Reads[Name]>[1];
type Results = { readonly [Name in keyof Reads]: Awaited<ReturnType<Reads[Name]>> };
type Result<Name extends keyof Reads> = Results[Name];

export interface ReadPool {
  /** `key` names the caller for the turns. Refuses with `overloaded` when too many reads wait. */
  run<Name extends keyof Reads>(key: string, name: Name, input: Input<Name>): Promise<Result<Name>>;
  close(): Promise<void>;
}

const THREADS = 2;
const IDLE_MS = 30_000;
/** The cost of a turn is its time in milliseconds. */
const LIMITS = { slots: THREADS, slotsPerKey: 1, waiting: 256, waitingPerKey: 32, quantum: 5 };

interface Thread {
  readonly worker: Worker;
  readonly ended: Promise<void>;
  /** The read that the thread works on. */
  task: PromiseWithResolvers<ReadAnswer> | undefined;
  idle: NodeJS.Timeout | undefined;
}

export function openReadPool(
  file: string,
  startWorker = () =>
    new Worker(new URL("./read-worker.ts", import.meta.url), {
      ...THREAD_OPTIONS,
      workerData: { file },
      name: "records reader",
    }),
): ReadPool {
  const share = createFairShare(LIMITS);
  const threads = new Set<Thread>();
  let isClosed = false;

  function startThread(): Thread {
    const worker = startWorker();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const thread: Thread = { worker, ended, task: undefined, idle: undefined };
    threads.add(thread);
    // When a thread fails, only its current read is refused. The next read starts another thread.
    const fail = (cause?: unknown) => {
      threads.delete(thread);
      clearTimeout(thread.idle);
      thread.task?.reject(unavailable(cause));
    };
    worker.on("message", (answer: ReadAnswer) => thread.task?.resolve(answer));
    worker.on("error", fail);
    worker.on("exit", () => {
      fail();
      resolve();
    });
    return thread;
  }

  async function end(thread: Thread): Promise<void> {
    threads.delete(thread);
    await thread.worker.terminate();
    await thread.ended;
  }

  async function ask(name: keyof Reads, input: unknown): Promise<ReadAnswer> {
    if (isClosed) throw unavailable();
    const thread = [...threads].find(({ task }) => task === undefined) ?? startThread();
    clearTimeout(thread.idle);
    thread.task = Promise.withResolvers();
    try {
      const error = tryPost(thread.worker, { name, input });
      if (error !== undefined) throw error;
      return await thread.task.promise;
    } finally {
      thread.task = undefined;
      thread.idle = setTimeout(() => void end(thread), IDLE_MS).unref();
    }
  }

  return {
    async run<Name extends keyof Reads>(key: string, name: Name, input: Input<Name>) {
      const turn = share.enter(key);
      if (turn === undefined) throw refuse("overloaded", "too many long lists are being read; try again in a moment");
      const leave: Leave = await turn;
      const began = performance.now();
      try {
        return read(await ask(name, input)) as Result<Name>;
      } finally {
        leave(performance.now() - began);
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...threads].map(end));
    },
  };
}

function read(answer: ReadAnswer): unknown {
  if ("result" in answer) return answer.result;
  if ("fault" in answer) throw new Error(`a read failed: ${answer.fault}`);
  const refused = new AppError(answer.refusals);
  refused.cause = answer.cause;
  throw refused;
}

function unavailable(cause?: unknown): AppError {
  const refused = refuse("storage_unavailable", "the records cannot be read now");
  refused.cause = cause;
  return refused;
}
