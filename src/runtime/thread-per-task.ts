// A thread of its own for each task: what nobody waits for any more ends with its thread.
import { Worker } from "node:worker_threads";
import { createTaskThread } from "#runtime/task-thread.ts";
import { THREAD_OPTIONS } from "#tuning/thread-options.ts";

interface ThreadPerTask {
  readonly worker: URL;
  /** Of processor time. */
  readonly deadlineMs: number;
  readonly memoryMb: number;
  readonly lost: () => Error;
}

export function threadPerTask<Task extends object, Result>({ worker, deadlineMs, memoryMb, lost }: ThreadPerTask) {
  const open = () => new Worker(worker, { ...THREAD_OPTIONS, resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
  return async (task: Task, signal: AbortSignal): Promise<Result> => {
    signal.throwIfAborted();
    const thread = createTaskThread<Task, Result>({ open, deadlineMs, lost });
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([thread.run(task), left]);
    } finally {
      signal.removeEventListener("abort", leave);
      await thread.close();
    }
  };
}
