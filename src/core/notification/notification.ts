// A message to the people of a site. It is stored with its event; webhooks and other channels take it from there.
import type { Instant } from "#core/time/instant.ts";

export const NOTIFICATION_SEVERITIES = ["info", "warning", "error"] as const;
type NotificationSeverity = (typeof NOTIFICATION_SEVERITIES)[number];

/** Who sent it. */
export const NOTIFICATION_SOURCES = ["rule"] as const;

interface NotificationSource {
  readonly kind: (typeof NOTIFICATION_SOURCES)[number];
  readonly id: string;
  readonly slug: string;
}

export interface Notification {
  readonly id: string;
  readonly siteId: string;
  readonly at: Instant;
  readonly severity: NotificationSeverity;
  readonly title: string | undefined;
  readonly text: string;
  readonly source: NotificationSource;
}

export const LONGEST_NOTIFICATION = 1_000;
export const LONGEST_NOTIFICATION_TITLE = 200;
/** Of one source, and of all sources of a site. */
export const MOST_NOTIFICATIONS_PER_MINUTE = { source: 12, site: 60 };
/** Unread ones are counted up to this number. */
export const MOST_UNREAD_COUNTED = 1_000;
/** People of a site of whom is known what they have read; of others everything is unread. */
export const MOST_READERS = 1_000;
export const NOTIFICATIONS_KEPT_MS = 30 * 86_400_000;
