// Simulates rules, each in a thread of its own: a run that nobody waits for any more ends with its thread.
import { Worker } from "node:worker_threads";
import { refuse } from "#core/app-error.ts";
import type { Simulation } from "#core/rule/simulate-rule.ts";
import { createTaskThread } from "#runtime/task-thread.ts";
import type { SimulateRule, SimulationTask } from "#service/ports/simulate-rule.ts";
import { THREAD_OPTIONS } from "#tuning/thread-options.ts";

/** Of processor time. */
const DEADLINE_MS = 30_000;
const MEMORY_MB = 256;

interface SimulatorSettings {
  readonly deadlineMs?: number;
}

export function createRuleSimulator({ deadlineMs = DEADLINE_MS }: SimulatorSettings = {}): SimulateRule {
  const open = () =>
    new Worker(new URL("./simulate-worker.ts", import.meta.url), {
      ...THREAD_OPTIONS,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
  const lost = () =>
    refuse("overloaded", "the dry run took too much time or memory; choose a shorter time or a simpler rule");
  return async (task, signal) => {
    signal.throwIfAborted();
    const thread = createTaskThread<SimulationTask, Simulation>({ open, deadlineMs, lost });
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
