import { linkRoute } from "#http/link-route.ts";
import { ago, MINUTE, SECOND, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { changeOperations } from "#service/link/change-operations.ts";
import { linkOperations } from "#service/link/link-operations.ts";

const CHANGE_RETENTION_MS = 30 * 24 * 60 * MINUTE;
/** Heartbeats say nothing new, and come again and again: they are kept while somebody may ask for their answer. */
const RENEWAL_RETENTION_MS = 10 * MINUTE;

/** Both ends of it. Each refuses what only the other end does. */
export const link = (parts: Parts): Subject => ({
  operations: [...linkOperations(parts), linkRoute(parts), ...changeOperations(parts)],
  chores: [
    { name: "find gateways whose node has ended", everyMs: 5 * SECOND, task: async () => await parts.links?.sweep() },
    {
      name: "prune questions whose node has ended",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => parts.questions.prune(ago(parts.clock, MINUTE))),
    },
    {
      name: "prune changes that gateways have settled",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () =>
        untilDone(() =>
          parts.changes.prune(ago(parts.clock, CHANGE_RETENTION_MS), ago(parts.clock, RENEWAL_RETENTION_MS)),
        ),
    },
  ],
  figures: async () => {
    const status = await parts.uplink?.status();
    return {
      uplink: status && { isConnected: status.isConnected, dropped: status.dropped, ...status.backlog },
      connectedGateways: parts.links && (await parts.gateways.connected()).length,
    };
  },
});
