import { Worker } from "node:worker_threads";
import { refuse } from "#core/app-error.ts";
import type { Shares } from "#core/share/shares.ts";
import { createTaskThread } from "#runtime/task-thread.ts";
import type { CheckJsonValue } from "#service/ports/check-json.ts";
import type { JsonCheckResult, JsonCheckTask } from "./json-check-worker.ts";

/** The thread itself stops compiling after 2 s and checking after 100 ms. A thread that takes longer is stuck. */
const DEADLINE_MS = 5_000;
const MEMORY_MB = 128;
/** One value is checked at a time, and requesters take turns. The cost is counted in milliseconds. */
const CHECKING = { slots: 1, slotsPerKey: 1, waiting: 256, waitingPerKey: 64, quantum: 2 };

interface JsonChecker {
  readonly check: CheckJsonValue;
  close(): Promise<void>;
}

/** The thread ran out of time or memory over this value. */
class LostCheck extends Error {}

export function createJsonChecker({ shares }: { readonly shares: Pick<Shares, "open"> }): JsonChecker {
  const turns = shares.open("json_checks", CHECKING);
  const thread = createTaskThread<JsonCheckTask, JsonCheckResult>({
    open: () =>
      new Worker(new URL("./json-check-worker.ts", import.meta.url), {
        name: "json checks",
        resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      }),
    deadlineMs: DEADLINE_MS,
    lost: () => new LostCheck(),
  });

  return {
    async check(schema, value, { key }) {
      const turn = turns.enter(key);
      if (turn === undefined)
        throw refuse("overloaded", "too many json values wait to be checked; try again in a moment");
      const leave = await turn;
      const begun = performance.now();
      try {
        return await thread.run({ schema, value });
      } catch (error) {
        if (error instanceof LostCheck) return "could not be checked against its schema";
        throw error;
      } finally {
        leave(performance.now() - begun);
      }
    },
    close: () => thread.close(),
  };
}
