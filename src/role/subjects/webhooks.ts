import { DELIVERY_RETENTION_MS } from "#core/webhook/webhook-limits.ts";
import { ago, MINUTE, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { webhookOperations } from "#service/webhook/webhook-operations.ts";

export const webhooks = (parts: Parts): Subject => ({
  operations: webhookOperations(parts),
  chores: [
    {
      name: "prune webhook deliveries",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => parts.webhooks.prune(ago(parts.clock, DELIVERY_RETENTION_MS))),
    },
  ],
  figures: async () => ({ waitingDeliveries: await parts.webhooks.waiting() }),
});
