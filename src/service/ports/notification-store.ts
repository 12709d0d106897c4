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

export interface Reader {
  readonly siteId: string;
  /** The account, or the token that belongs to nobody. */
  readonly person: string;
}

export interface ReadState {
  /** Undefined: the person has looked at none that is kept. */
  readonly until: Instant | undefined;
  /** Later ones, at most MOST_UNREAD_COUNTED. */
  readonly unread: number;
}

/** Messages to the people of a site. They go with the site. */
export interface NotificationStore {
  /** With its event and what webhooks get, all or none. False, with nothing stored: its key is known, or the site is gone. */
  insert(given: NewNotification): Promise<boolean>;
  find(siteId: string, id: string): Promise<Notification | undefined>;
  /** Newest first. */
  list(siteId: string, page: PageRequest): Promise<Page<Notification>>;
  readState(reader: Reader): Promise<ReadState>;
  /** Up to this time, and never less than before. Goes no further than the newest there is. */
  markRead(reader: Reader, until: Instant): Promise<void>;
  /** Deletes those from before, and how far people have read before, a bounded number at a time, and says how many. */
  prune(before: Instant): Promise<number>;
}
