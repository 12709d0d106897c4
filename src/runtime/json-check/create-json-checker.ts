import { Worker } from "node:worker_threads";
import { refuse } from "#core/app-error.ts";
import type { Shares } from "#core/share/shares.ts";
import { tryPost } from "#core/thread/try-post.ts";
import type { CheckJsonValue } from "#service/ports/check-json.ts";
import type { JsonCheckAnswer, JsonCheckTask } from "./json-check-worker.ts";

/** The thread itself stops compiling after 2 s and checking after 100 ms. A thread that takes longer is stuck. */
const DEADLINE_MS = 5_000;
const IDLE_MS = 30_000;
const MEMORY_MB = 128;
/** One value is checked at a time, and requesters take turns. The cost is counted in milliseconds. */
const CHECKING = { slots: 1, slotsPerKey: 1, waiting: 256, waitingPerKey: 64, quantum: 2 };

interface JsonChecker {
  readonly check: CheckJsonValue;
  close(): Promise<void>;
}

interface UnderWay {
  readonly id: number;
  readonly resolve: (problem: string | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** One thread, started when needed, ended when it has been idle, replaced when it runs out of time or memory. */
export function createJsonChecker({ shares }: { readonly shares: Pick<Shares, "open"> }): JsonChecker {
  const turns = shares.open("json_checks", CHECKING);
  let underWay: UnderWay | undefined;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(new URL("./json-check-worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    started.on("message", ({ id, problem }: JsonCheckAnswer) => {
      if (id === underWay?.id) underWay.resolve(problem);
    });
    started.on("error", () => giveUp(started));
    started.unref();
    return started;
  }

  function rest(): void {
    const idle = worker;
    worker = undefined;
    void idle?.terminate();
  }

  /** Only the value that was being checked is refused: the next one gets a new thread. */
  function giveUp(failed: Worker): void {
    if (worker !== failed) return;
    rest();
    underWay?.resolve("could not be checked against its schema");
  }

  async function checkNow(schema: string, value: unknown): Promise<string | undefined> {
    worker ??= start();
    const thread = worker;
    clearTimeout(timer);
    timer = setTimeout(() => giveUp(thread), DEADLINE_MS);
    const id = ++lastId;
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        underWay = { id, resolve, reject };
        const error = tryPost(thread, { id, schema, value } satisfies JsonCheckTask);
        if (error !== undefined) reject(error);
      });
    } finally {
      underWay = undefined;
      clearTimeout(timer);
      timer = setTimeout(rest, IDLE_MS).unref();
    }
  }

  return {
    async check(schema, value, { key }) {
      const turn = turns.enter(key);
      if (turn === undefined)
        throw refuse("overloaded", "too many json values wait to be checked; try again in a moment");
      const leave = await turn;
      const begun = performance.now();
      try {
        return await checkNow(schema, value);
      } finally {
        leave(performance.now() - begun);
      }
    },
    async close() {
      clearTimeout(timer);
      await worker?.terminate();
    },
  };
}
