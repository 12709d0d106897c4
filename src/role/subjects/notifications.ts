import { NOTIFICATIONS_KEPT_MS } from "#core/notification/notification.ts";
import { ago, MINUTE, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { channelOperations } from "#service/notification/channel-operations.ts";
import { notificationOperations } from "#service/notification/notification-operations.ts";
import { routeOperations } from "#service/notification/route-operations.ts";

export const notifications = (parts: Parts): Subject => ({
  operations: [...notificationOperations(parts), ...channelOperations(parts), ...routeOperations(parts)],
  chores: [
    {
      name: "prune messages to people",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => parts.messages.prune(ago(parts.clock, NOTIFICATIONS_KEPT_MS))),
    },
    {
      name: "prune notifications",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => parts.notifications.prune(ago(parts.clock, NOTIFICATIONS_KEPT_MS))),
    },
  ],
});
