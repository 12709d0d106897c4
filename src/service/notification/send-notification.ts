// Tells the people of a site something: stored with its event, so that whoever listens gets it, also after a restart.
import { NO_DEVICE } from "#core/event/event.ts";
import { MOST_NOTIFICATIONS_PER_MINUTE, type Notification } from "#core/notification/notification.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { Needs } from "#service/ports.ts";
import type { WebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";

export interface SendNotificationNeeds extends Pick<Needs, "notifications" | "now" | "newId"> {
  readonly prepareEvent: PrepareEvent;
  readonly webhookDispatcher: Pick<WebhookDispatcher, "noticesOf" | "wake">;
}

interface NotificationInput extends Pick<Notification, "siteId" | "severity" | "title" | "text" | "source"> {
  /** The same key of the same source is sent once. */
  readonly key?: string | undefined;
}

/** `too many`: the source or its site has sent as many as it may in a minute. */
export type SendNotification = (given: NotificationInput) => Promise<"sent" | "known" | "too many">;

const MINUTE_MS = 60_000;
const MOST_COUNTED = 10_000;

export function createSendNotification(needs: SendNotificationNeeds): SendNotification {
  /** Times of the last minute. */
  const counted = new Map<string, readonly number[]>();

  function recent(who: string, now: number): readonly number[] {
    return (counted.get(who) ?? []).filter((at) => Math.abs(now - at) < MINUTE_MS);
  }

  function count(who: string, now: number): void {
    const times = [...recent(who, now), now];
    counted.delete(who);
    counted.set(who, times);
    const [oldest] = counted.keys();
    if (counted.size > MOST_COUNTED && oldest !== undefined) counted.delete(oldest);
  }

  return async ({ key, ...given }) => {
    const now = needs.now();
    const [source, site] = [`source ${given.source.id}`, `site ${given.siteId}`];
    const isFull =
      recent(source, now).length >= MOST_NOTIFICATIONS_PER_MINUTE.source ||
      recent(site, now).length >= MOST_NOTIFICATIONS_PER_MINUTE.site;
    if (isFull) return "too many";
    count(source, now);
    count(site, now);
    const notification = { ...given, id: needs.newId(), at: now };
    const place = { siteId: given.siteId, deviceId: NO_DEVICE };
    const event = needs.prepareEvent({ ...place, kind: "notification", notification });
    const notices = needs.webhookDispatcher.noticesOf([event]);
    if (!(await needs.notifications.insert({ notification, key, event, notices }))) return "known";
    if (notices.length > 0) needs.webhookDispatcher.wake();
    return "sent";
  };
}
