// Copies what a gateway told the people of its sites, so that who listens to the cloud hears of it, too.
import { NO_DEVICE } from "#core/event/event.ts";
import { parseRuleKey } from "#core/link/linked-key.ts";
import type { LinkedNotification } from "#core/link/messages.ts";
import { RecordRefused } from "#core/link/refused-record.ts";
import { NOTIFICATIONS_KEPT_MS } from "#core/notification/notification.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { Needs } from "#service/ports.ts";
import type { WebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";

export interface CopyNotificationNeeds extends Pick<Needs, "copies" | "now"> {
  readonly prepareEvent: PrepareEvent;
  readonly webhookDispatcher: Pick<WebhookDispatcher, "noticesOf" | "wake">;
}

/** The clocks of the two sides may differ. */
const MOST_AHEAD_MS = 86_400_000;
/** What the cloud hears of later than this is kept, and not announced. */
const NEWS_MS = 86_400_000;

export async function copyNotification(
  needs: CopyNotificationNeeds,
  gatewayId: string,
  { key, value }: { readonly key: string; readonly value: LinkedNotification | null },
): Promise<void> {
  const name = parseRuleKey(key);
  // The gateway keeps it no longer. The cloud has its own time for that.
  if (name === undefined || value === null) return;
  const age = needs.now() - value.at;
  if (age < -MOST_AHEAD_MS) throw new RecordRefused("the notification is from the future");
  if (age > NOTIFICATIONS_KEPT_MS) return;
  const notification = { ...value, ...name };
  const place = { siteId: name.siteId, deviceId: NO_DEVICE };
  const events = age > NEWS_MS ? [] : [needs.prepareEvent({ ...place, kind: "notification", notification })];
  const notices = needs.webhookDispatcher.noticesOf(events);
  const isNew = await needs.copies.notification(gatewayId, notification, { events, notices });
  if (isNew && notices.length > 0) needs.webhookDispatcher.wake();
}
