import type { Instant } from "#core/time/instant.ts";
import type { Delivery } from "#core/webhook/webhook.ts";

/** One delivery on its way out. */
export interface OutgoingDelivery {
  readonly url: string;
  readonly secret: string;
  readonly delivery: Delivery;
  readonly sentAt: Instant;
}

/** The way to the receivers of webhooks. */
export interface WebhookSender {
  /** Why this address is not allowed, as far as it can be told without asking anybody. */
  problemWith(url: URL): string | undefined;
  /** Never rejects: whatever goes wrong is a failed attempt, in words that hold no secret. */
  send(outgoing: OutgoingDelivery, signal: AbortSignal): Promise<SendResult>;
}

export interface SendResult {
  readonly status: number | undefined;
  /** Undefined when the receiver took it. */
  readonly error: string | undefined;
}
