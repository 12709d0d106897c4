// A thread that does one task at a time. It starts with the first task, ends after it has been idle, and is replaced when it
// runs out of time or memory: then only the task that it was doing is lost.
import type { Worker } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";

const IDLE_MS = 30_000;
/** However busy the machine is, a task is given up after this many deadlines. */
const MAX_DEADLINES = 12;
const SHORTEST_LOOK_MS = 20;

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
  /** Of the thread's own processor time: on a busy machine a thread of low priority waits for long without being stuck. */
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

  /** Ends the thread when this task has taken its time. A thread that is stuck in native code does not even report its time. */
  function watch(thread: Worker, id: number): void {
    const before = processorTime(thread);
    const latest = performance.now() + MAX_DEADLINES * deadlineMs;
    const look = async () => {
      timer = setTimeout(() => giveUp(thread), latest - performance.now());
      const spent = (await processorTime(thread)) - (await before);
      if (underWay?.id !== id) return;
      clearTimeout(timer);
      const left = deadlineMs - spent;
      if (left <= 0 || performance.now() > latest) giveUp(thread);
      else timer = setTimeout(() => void look(), Math.max(left, SHORTEST_LOOK_MS));
    };
    timer = setTimeout(() => void look(), deadlineMs);
  }

  return {
    async run(task) {
      // No task is under way here, so none is lost.
      if (isOutdated) end();
      isOutdated = false;
      worker ??= start();
      const thread = worker;
      clearTimeout(timer);
      const id = ++lastId;
      watch(thread, id);
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

/** In milliseconds; 0 when it has not begun to run or has ended. */
async function processorTime(thread: Worker): Promise<number> {
  const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1_000;
}
