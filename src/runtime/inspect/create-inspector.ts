import { Worker } from "node:worker_threads";
import { refuse } from "#core/app-error.ts";
import type { InspectAnswer, InspectSettings, InspectTask } from "#runtime/inspect/inspect-worker.ts";
import type { BuildScripts, InspectPackage } from "#service/ports/inspect-package.ts";

/** Far beyond what any package takes: whoever needs longer has found a fault, and the thread is given up. */
const DEADLINE_MS = 5_000;
const IDLE_MS = 30_000;
const MAX_WAITING = 64;
const MEMORY_MB = 256;

interface Waiting {
  readonly resolve: (result: InspectAnswer["result"]) => void;
  readonly reject: (error: Error) => void;
}

export interface Inspector {
  readonly inspect: InspectPackage;
  readonly build: BuildScripts;
  close(): Promise<void>;
}

/** One thread, started when needed, ended when it has been idle, replaced when it runs out of time or memory. */
export function createInspector(settings: InspectSettings, deadlineMs = DEADLINE_MS): Inspector {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;
  let timer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(new URL("./inspect-worker.ts", import.meta.url), {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    started.on("message", ({ id, result }: InspectAnswer) => {
      waiting.get(id)?.resolve(result);
      waiting.delete(id);
      watch();
    });
    started.on("error", () => giveUp(started));
    started.unref();
    return started;
  }

  /** The thread works in order, so the clock runs for the oldest package only and starts anew with each answer. */
  function watch(): void {
    clearTimeout(timer);
    timer =
      waiting.size > 0 ? setTimeout(() => worker && giveUp(worker), deadlineMs) : setTimeout(rest, IDLE_MS).unref();
  }

  /** A thread holds some 25 MB, and packages are rare. */
  function rest(): void {
    const idle = worker;
    worker = undefined;
    void idle?.terminate();
  }

  function giveUp(failed: Worker): void {
    if (worker !== failed) return;
    worker = undefined;
    clearTimeout(timer);
    void failed.terminate();
    for (const { reject } of waiting.values()) {
      reject(refuse("overloaded", "the package took too long to read; try again, and alone if it is large"));
    }
    waiting.clear();
  }

  /** The thread answers each kind of task with its own kind of result. */
  function ask<Result extends InspectAnswer["result"]>(kind: InspectTask["kind"], bytes: Uint8Array): Promise<Result> {
    if (waiting.size >= MAX_WAITING) {
      return Promise.reject(refuse("overloaded", "too many packages wait to be read; try again in a moment"));
    }
    worker ??= start();
    const id = ++lastId;
    const answer = new Promise<Result>((resolve, reject) =>
      waiting.set(id, { resolve: resolve as Waiting["resolve"], reject }),
    );
    worker.postMessage({ id, kind, bytes } satisfies InspectTask);
    if (waiting.size === 1) watch();
    return answer;
  }

  return {
    inspect: (bytes) => ask("inspect", bytes),
    build: (bytes) => ask("build", bytes),
    async close() {
      clearTimeout(timer);
      await worker?.terminate();
    },
  };
}
