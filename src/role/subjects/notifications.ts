import { CHANNEL_KINDS } from "#core/notification/channel.ts";
import { NOTIFICATIONS_KEPT_MS } from "#core/notification/notification.ts";
import { ago, MINUTE, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { channelOperations } from "#service/notification/channel-operations.ts";
import { notificationOperations } from "#service/notification/notification-operations.ts";
import { pushOperations } from "#service/notification/push-operations.ts";
import { routeOperations } from "#service/notification/route-operations.ts";
import { createBacklogWatch } from "#service/notification/watch-backlog.ts";
import type { NotificationFigures } from "#service/ports/figures.ts";

export const notifications = (parts: Parts): Subject => ({
  figures: async () => ({ notifications: await countMessages(parts) }),
  operations: [
    ...notificationOperations(parts),
    ...channelOperations(parts),
    ...pushOperations(parts),
    ...routeOperations(parts),
  ],
  chores: [
    // Each node says it, because each is asked how it is.
    { name: "look for messages that wait", everyMs: MINUTE, task: createBacklogWatch(parts) },
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

/** A kind that nobody uses has no figures but zeros, so that a rule can ask for each. */
async function countMessages({ messages, messageDispatcher, now }: Parts): Promise<NotificationFigures> {
  const [{ sent, failed }, backlog, at] = [messageDispatcher.counts(), await messages.backlog(), now()];
  const all = (counts: ReadonlyMap<string, number>) =>
    new Map(CHANNEL_KINDS.map((kind) => [kind, counts.get(kind) ?? 0]));
  const waiting = CHANNEL_KINDS.map((kind) => {
    const { count = 0, oldestAt = at } = backlog.find((one) => one.kind === kind) ?? {};
    return { kind, count, oldestMs: Math.max(0, at - oldestAt) };
  });
  return { sent: all(sent), failed: all(failed), waiting };
}
