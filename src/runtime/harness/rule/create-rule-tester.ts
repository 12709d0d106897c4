// Plays scenarios of rules, the scenarios of each file in a thread of their own.
import { refuse } from "#core/app-error.ts";
import { threadPerTask } from "#runtime/thread-per-task.ts";
import type { RuleTestResult, RuleTestTask, TestRule } from "#service/ports/test-rule.ts";

/** Of processor time. */
const DEADLINE_MS = 30_000;
const MEMORY_MB = 256;

export function createRuleTester({ deadlineMs = DEADLINE_MS }: { readonly deadlineMs?: number } = {}): TestRule {
  return threadPerTask<RuleTestTask, RuleTestResult>({
    worker: new URL("./rule-test-worker.ts", import.meta.url),
    deadlineMs,
    memoryMb: MEMORY_MB,
    lost: () =>
      refuse("overloaded", "the scenarios took too much time or memory; let less time pass, or fewer devices send"),
  });
}
