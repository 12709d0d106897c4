import type { SendOutcome } from "#core/notification/after-send.ts";
import type { Channel } from "#core/notification/channel.ts";
import type { MessageContent } from "#core/notification/message.ts";
import type { PushSubscription } from "#core/notification/push.ts";
import type { Instant } from "#core/time/instant.ts";

/** One message on its way out. */
export interface OutgoingMessage {
  readonly channel: Pick<Channel, "siteId" | "target" | "language" | "allowPrivate">;
  readonly secret: string | undefined;
  /** The same for every attempt. */
  readonly id: string;
  readonly content: MessageContent;
  readonly queuedAt: Instant;
  readonly sentAt: Instant;
}

/** The way to the people of a site. */
export interface MessageSender {
  /** Why this channel is not allowed, as far as that is known without a network request. */
  problemWith(channel: Pick<Channel, "target" | "allowPrivate">): string | undefined;
  /** What browsers subscribe with, so that their push services know whose messages they take. */
  readonly pushKey: string;
  /** Why a device cannot be subscribed, as far as that is known without a network request. */
  problemWithSubscription(subscription: PushSubscription): string | undefined;
  /** Never rejects, and ends within half a minute. What went wrong is described without secrets. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome>;
}
