// Simulates rules, each in a thread of its own.
import { refuse } from "#core/app-error.ts";
import type { Simulation } from "#core/rule/simulate-rule.ts";
import { threadPerTask } from "#runtime/thread-per-task.ts";
import type { SimulateRule, SimulationTask } from "#service/ports/simulate-rule.ts";

/** Of processor time. */
const DEADLINE_MS = 30_000;
const MEMORY_MB = 256;

interface SimulatorSettings {
  readonly deadlineMs?: number;
}

export function createRuleSimulator({ deadlineMs = DEADLINE_MS }: SimulatorSettings = {}): SimulateRule {
  return threadPerTask<SimulationTask, Simulation>({
    worker: new URL("./simulate-worker.ts", import.meta.url),
    deadlineMs,
    memoryMb: MEMORY_MB,
    lost: () =>
      refuse("overloaded", "the dry run took too much time or memory; choose a shorter time or a simpler rule"),
  });
}
