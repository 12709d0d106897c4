import { ago, MINUTE, SECOND, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { controlOperations } from "#service/control/control-operations.ts";

/** How long the history of controls is kept. */
const HISTORY_MS = 90 * 86_400_000;

export const control = (parts: Parts): Subject => ({
  operations: controlOperations(parts),
  chores: [
    { name: "control devices", everyMs: SECOND, task: () => parts.controlling.turn() },
    {
      name: "prune the history of controls",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => parts.controls.prune(ago(parts.clock, HISTORY_MS))),
    },
  ],
});
