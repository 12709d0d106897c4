// A thread that does one task at a time. It starts with the first task, ends after it has been idle, and is replaced when it
// runs out of time or memory: then only the task that it was doing is lost.
import type { Worker } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";

const IDLE_MS = 30_000;

export type Numbered<Task> = Task & { readonly id: number };

export type TaskAnswer<Result> = { readonly id: number } & ({ readonly result: Result } | { readonly failure: string });

export interface TaskThread<Task, Result> {
  /** The next task is given only after this one has settled. */
  run(task: Task): Promise<Result>;
  /** The next task is done by a new thread, because what threads are opened with has changed. */
  renew(): void;
  close(): Promise<void>;
}

interface TaskThreadSettings {
  readonly open: () => Worker;
  readonly deadlineMs: number;
  /** What a task is rejected with when its thread runs out of time or memory. */
  readonly lost: () => Error;
}

interface UnderWay<Result> {
  readonly id: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

export function createTaskThread<Task extends object, Result>({
  open,
  deadlineMs,
  lost,
}: TaskThreadSettings): TaskThread<Task, Result> {
  let underWay: UnderWay<Result> | undefined;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastId = 0;
  let isOutdated = false;

  function start(): Worker {
    const started = open();
    started.on("message", (answer: TaskAnswer<Result>) => {
      if (answer.id !== underWay?.id) return;
      if ("failure" in answer) underWay.reject(new Error(answer.failure));
      else underWay.resolve(answer.result);
    });
    started.on("error", () => giveUp(started));
    started.unref();
    return started;
  }

  /** A thread holds some 25 MB. */
  function end(): void {
    const ended = worker;
    worker = undefined;
    void ended?.terminate();
  }

  function giveUp(failed: Worker): void {
    if (worker !== failed) return;
    end();
    underWay?.reject(lost());
  }

  return {
    async run(task) {
      // No task is under way here, so none is lost.
      if (isOutdated) end();
      isOutdated = false;
      worker ??= start();
      const thread = worker;
      clearTimeout(timer);
      timer = setTimeout(() => giveUp(thread), deadlineMs);
      const id = ++lastId;
      try {
        return await new Promise<Result>((resolve, reject) => {
          underWay = { id, resolve, reject };
          const error = tryPost(thread, { ...task, id });
          if (error !== undefined) reject(error);
        });
      } finally {
        underWay = undefined;
        clearTimeout(timer);
        timer = setTimeout(end, IDLE_MS).unref();
      }
    },
    renew() {
      isOutdated = true;
    },
    async close() {
      clearTimeout(timer);
      await worker?.terminate();
    },
  };
}
