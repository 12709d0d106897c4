import { ago, MINUTE, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { eventOperations } from "#service/event/event-operations.ts";

/** How long a listener may be away and resume. */
const RETENTION_MS = 24 * 60 * MINUTE;

export const events = (parts: Parts): Subject => ({
  operations: eventOperations(parts),
  chores: [
    {
      name: "prune events",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => parts.outbox.prune(ago(parts.clock, RETENTION_MS))),
    },
  ],
});
