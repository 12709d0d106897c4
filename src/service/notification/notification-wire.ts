import { NOTIFICATION_SEVERITIES, NOTIFICATION_SOURCES, type Notification } from "#core/notification/notification.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

export const notificationSchema = described("Notification", "A message to the people of a site.", {
  id: id("Notification identifier."),
  site_id: Type.String(),
  at: timestamp,
  severity: oneOf(NOTIFICATION_SEVERITIES),
  title: nullable(Type.String()),
  text: Type.String(),
  source: strict("NotificationSource", {
    kind: oneOf(NOTIFICATION_SOURCES),
    id: Type.String(),
    slug: Type.String({ description: "As it was then." }),
  }),
});

export function renderNotification(notification: Notification): Static<typeof notificationSchema> {
  const { at, siteId, id, severity, title, text, source } = notification;
  const { kind, slug } = source;
  const shown = { kind, id: source.id, slug };
  return { id, site_id: siteId, at: renderInstant(at), severity, title: title ?? null, text, source: shown };
}
