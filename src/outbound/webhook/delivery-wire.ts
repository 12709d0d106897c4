// What a receiver of webhooks gets: a JSON body, and headers that prove where it comes from.
import { createHmac } from "node:crypto";
import { renderInstant } from "#core/time/instant.ts";
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
  const seconds = Math.floor(sentAt / 1000);
  return {
    body,
    headers: {
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(body)),
      ...(trace !== undefined && renderTraceContext(trace)),
      "User-Agent": "Busbar-Webhook/1",
      "X-Busbar-Delivery": delivery.id,
      "X-Busbar-Signature": `t=${seconds},v1=${signature(secret, `${seconds}.${body}`)}`,
    },
  };
}

function signature(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}
