import { SECOND } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { createRolloutRunner } from "#service/rollout/advance-rollouts.ts";
import { rolloutOperations } from "#service/rollout/rollout-operations.ts";

export function rollouts(parts: Parts): Subject {
  const runner = createRolloutRunner(parts);
  return {
    operations: rolloutOperations(parts),
    chores: [{ name: "advance roll-outs", isShared: true, everyMs: SECOND, task: () => runner.advance() }],
  };
}
