import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { MessageState, SendOutcome, SendResult } from "#core/notification/after-send.ts";
import type { ChannelTarget } from "#core/notification/channel.ts";
import type { MessageContent } from "#core/notification/message.ts";
import type { Watch } from "#core/notification/watch.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

/** One attempt to send a message. */
export interface SendAttempt {
  readonly at: Instant;
  readonly outcome: SendOutcome["outcome"];
  readonly error: string | undefined;
}

export interface Message {
  readonly id: string;
  readonly siteId: string;
  readonly channelId: string;
  readonly content: MessageContent;
  readonly state: MessageState;
  /** With the one that is under way. */
  readonly attempts: number;
  /** The last ones, oldest first. */
  readonly history: readonly SendAttempt[];
  readonly queuedAt: Instant;
  readonly nextAttemptAt: Instant | undefined;
  readonly giveUpAt: Instant;
  readonly error: string | undefined;
  readonly finishedAt: Instant | undefined;
}

export interface StoredWatch {
  readonly id: string;
  readonly deviceId: string | undefined;
  readonly watch: Watch;
  /** When it is to be looked at. Undefined: when it changes. */
  readonly nextAt: Instant | undefined;
  /** Rises with each change of what is watched. */
  readonly revision: number;
}

export interface StoredPlan {
  readonly siteId: string;
  readonly now: Instant;
  readonly watches: readonly (Pick<StoredWatch, "id" | "deviceId" | "revision"> & {
    readonly watch: Watch | undefined;
    readonly nextAt: Instant | undefined;
  })[];
  readonly messages: readonly Pick<Message, "id" | "channelId" | "content">[];
}

export interface MessageStore {
  /** Sites with something to look at now. */
  dueSites(now: Instant): Promise<readonly string[]>;
  /** When the next site is due. */
  nextLook(): Promise<Instant | undefined>;
  /** What is to be looked at before `until`, the oldest first, at most so many. */
  watches(siteId: string, until: number, limit: number): Promise<readonly StoredWatch[]>;
  /** Makes everything of a site due: its routes, channels or maintenance windows have changed. Undefined: of all sites. */
  lookAgain(siteId: string | undefined): Promise<void>;
  /**
   * Stores what was decided, together with the messages, all or nothing. False, with nothing stored: one of the watches has
   * changed. Messages to channels that are gone are left out, and those that a full queue cannot take have failed.
   */
  storePlan(plan: StoredPlan): Promise<boolean>;
  /** Channels with messages that wait. */
  behind(siteId: string): Promise<ReadonlySet<string>>;
  /** Of each channel that is not busy: the oldest message that is not done. */
  heads(
    busy: Iterable<string>,
  ): Promise<readonly Pick<Message, "id" | "channelId" | "siteId" | "state" | "nextAttemptAt">[]>;
  /** Messages that are not done, by kind of channel. */
  backlog(): Promise<
    readonly { readonly kind: ChannelTarget["kind"]; readonly count: number; readonly oldestAt: Instant }[]
  >;
  find(id: string): Promise<Message | undefined>;
  /** Marks it as being sent. False: it does not wait any more. */
  beginAttempt(id: string, now: Instant): Promise<boolean>;
  /** The outcome of the attempt of this number. */
  settle(id: string, attempt: SendAttempt & { readonly number: number }, result: SendResult): Promise<void>;
  /** Newest first. */
  list(
    filter: {
      readonly siteId: string;
      /** Undefined: of all. */
      readonly channelIds?: readonly string[] | undefined;
      readonly states?: readonly MessageState[] | undefined;
    },
    page: PageRequest,
  ): Promise<Page<Message>>;
  /** Sends it again, which a person has decided: of one that failed, or whose outcome is unknown. */
  retry(
    named: { readonly siteId: string; readonly id: string; readonly now: Instant },
    trail: AuditEntry,
  ): Promise<Message | undefined>;
  /** Deletes those that were done before, a bounded number at a time, and says how many. */
  prune(before: Instant): Promise<number>;
}
