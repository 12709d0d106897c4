// What a receiver of webhooks gets: a JSON body, and headers that prove where it comes from.
import { createHmac } from "node:crypto";
import { type Instant, renderInstant } from "#core/time/instant.ts";
import { renderTraceContext } from "#core/trace/trace-context.ts";
import type { OutgoingDelivery } from "#service/ports/webhook-sender.ts";

export interface WebhookRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function renderDelivery({ delivery, secret, sentAt, trace }: OutgoingDelivery): WebhookRequest {
  const event = JSON.parse(delivery.event) as Readonly<Record<string, unknown>>;
  const head = { id: delivery.id, kind: delivery.kind, occurred_at: renderInstant(delivery.occurredAt) };
  const body = JSON.stringify({ ...head, ...event });
  return {
    body,
    headers: {
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(body)),
      ...(trace !== undefined && renderTraceContext(trace)),
      "User-Agent": "Busbar-Webhook/1",
      ...signWebhook({ id: delivery.id, secret, body, sentAt }),
    },
  };
}

/** The headers that prove where a body comes from. */
export function signWebhook({
  id,
  secret,
  body,
  sentAt,
}: {
  readonly id: string;
  readonly secret: string;
  readonly body: string;
  readonly sentAt: Instant;
}): Readonly<Record<string, string>> {
  const seconds = Math.floor(sentAt / 1000);
  const signed = `t=${seconds},v1=${signature(secret, `${seconds}.${body}`)}`;
  return { "X-Busbar-Delivery": id, "X-Busbar-Signature": signed };
}

function signature(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}
