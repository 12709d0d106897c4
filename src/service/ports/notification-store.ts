import type { PreparedEvent } from "#core/event/event.ts";
import type { Notification } from "#core/notification/notification.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Notice } from "#core/webhook/webhook.ts";
import type { Page, PageRequest } from "./page.ts";

export interface NewNotification {
  readonly notification: Notification;
  /** The same key of the same source is stored once. Undefined: it is always another one. */
  readonly key: string | undefined;
  readonly event: PreparedEvent;
  readonly notices: readonly Notice[];
}

/** Messages to the people of a site. They go with the site. */
export interface NotificationStore {
  /** With its event and what webhooks get, all or none. False, with nothing stored: its key is known, or the site is gone. */
  insert(given: NewNotification): Promise<boolean>;
  find(siteId: string, id: string): Promise<Notification | undefined>;
  /** Newest first. */
  list(siteId: string, page: PageRequest): Promise<Page<Notification>>;
  /** Deletes those from before, a bounded number at a time, and says how many. */
  prune(before: Instant): Promise<number>;
}
