import type { Instant } from "#core/time/instant.ts";
import type { TraceContext } from "#core/trace/trace-context.ts";
import type { Delivery, WebhookKind } from "#core/webhook/webhook.ts";

/** One delivery on its way out. */
export interface OutgoingDelivery {
  readonly url: string;
  readonly secret: string;
  readonly delivery: Pick<Delivery, "id" | "occurredAt" | "event"> & { readonly kind: WebhookKind | "test" };
  readonly sentAt: Instant;
  /** The trace that the delivery belongs to. */
  readonly trace?: TraceContext | undefined;
}

/** The way to the receivers of webhooks. */
export interface WebhookSender {
  /** Why this address is not allowed, as far as that is known without a network request. */
  problemWith(url: URL): string | undefined;
  /** Never rejects: every failure is a failed attempt, described without secrets. */
  send(outgoing: OutgoingDelivery, signal: AbortSignal): Promise<SendResult>;
}

export interface SendResult {
  readonly status: number | undefined;
  /** Undefined when the receiver accepted it. */
  readonly error: string | undefined;
}
