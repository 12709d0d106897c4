import { refuse } from "#core/app-error.ts";
import {
  MOST_UNREAD_COUNTED,
  NOTIFICATION_SEVERITIES,
  NOTIFICATION_SOURCES,
  type Notification,
} from "#core/notification/notification.ts";
import { type Instant, parseInstant, renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { ReadState } from "#service/ports/notification-store.ts";

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

export const readMarkSchema = strict("ReadMark", { until: timestamp });

export const readStateSchema = described("NotificationsRead", "How far the caller has read the messages of rules.", {
  read_until: nullable(timestamp),
  unread: Type.Integer({ minimum: 0, description: `Later ones, at most ${MOST_UNREAD_COUNTED}.` }),
});

export function renderReadState({ until, unread }: ReadState): Static<typeof readStateSchema> {
  return { read_until: until === undefined ? null : renderInstant(until), unread };
}

export function parseReadMark({ until }: Static<typeof readMarkSchema>): Instant {
  const time = parseInstant(until);
  if (time === undefined) throw refuse("invalid_body", "until is not a time", { pointer: "/until" });
  return time;
}

export function renderNotification(notification: Notification): Static<typeof notificationSchema> {
  const { at, siteId, id, severity, title, text, source } = notification;
  const { kind, slug } = source;
  const shown = { kind, id: source.id, slug };
  return { id, site_id: siteId, at: renderInstant(at), severity, title: title ?? null, text, source: shown };
}
