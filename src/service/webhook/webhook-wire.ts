import { renderInstant } from "#core/time/instant.ts";
import { DELIVERY_STATES, type Delivery, WEBHOOK_KINDS, type Webhook } from "#core/webhook/webhook.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { WebhookInput } from "#service/webhook/create-webhook.ts";

export const webhookSchema = described("Webhook", "An address that receives events.", {
  id: id("Webhook identifier."),
  url: Type.String(),
  kinds: Type.Array(oneOf(WEBHOOK_KINDS)),
  site_ids: nullable(Type.Array(Type.String(), { description: "The sites whose events it receives; null for all." })),
  created_at: timestamp,
});

export const newWebhookSchema = strict("NewWebhook", {
  url: Type.String({ minLength: 1, maxLength: 2000, description: "Where to POST to: an http or https address." }),
  site_ids: Type.Optional(
    Type.Array(id("Site identifier."), {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: "Without it: all sites that the caller sees.",
    }),
  ),
  kinds: Type.Optional(
    Type.Array(oneOf(WEBHOOK_KINDS), {
      minItems: 1,
      maxItems: WEBHOOK_KINDS.length,
      description: "The kinds of events it receives. Default: alert.",
    }),
  ),
});

export const createdWebhookSchema = strict("CreatedWebhook", {
  webhook: webhookSchema,
  secret: Type.String({ description: "What deliveries are signed with. It is shown this once." }),
});

export const webhookTestSchema = strict("WebhookTest", {
  accepted: Type.Boolean({ description: "The receiver answered with a status from 200 to 299." }),
  status: nullable(Type.Integer({ description: "HTTP status of the answer." })),
  error: nullable(Type.String({ description: "Why it was not accepted." })),
});

export const deliverySchema = strict("WebhookDelivery", {
  id: id("Delivery identifier: the header X-Busbar-Delivery."),
  webhook_id: Type.String(),
  kind: oneOf(WEBHOOK_KINDS),
  occurred_at: timestamp,
  state: oneOf(DELIVERY_STATES, { description: "DEAD: given up. It can be retried." }),
  attempts: Type.Integer({ minimum: 0 }),
  queued_at: timestamp,
  next_attempt_at: Type.Optional(timestamp),
  finished_at: Type.Optional(timestamp),
  status: Type.Optional(Type.Integer({ description: "HTTP status of the last answer." })),
  error: Type.Optional(Type.String({ description: "Why the last attempt failed." })),
});

export function parseNewWebhook(body: Static<typeof newWebhookSchema>): WebhookInput {
  return { url: body.url, siteIds: body.site_ids, kinds: body.kinds ?? ["alert"] };
}

export function renderWebhook(webhook: Webhook): Static<typeof webhookSchema> {
  return {
    id: webhook.id,
    url: webhook.url,
    kinds: [...webhook.kinds],
    site_ids: webhook.sites === "all" ? null : [...webhook.sites],
    created_at: renderInstant(webhook.createdAt),
  };
}

export function renderDelivery(delivery: Delivery): Static<typeof deliverySchema> {
  const { nextAttemptAt, finishedAt, status, error } = delivery;
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    kind: delivery.kind,
    occurred_at: renderInstant(delivery.occurredAt),
    state: delivery.state,
    attempts: delivery.attempts,
    queued_at: renderInstant(delivery.queuedAt),
    ...(nextAttemptAt !== undefined && { next_attempt_at: renderInstant(nextAttemptAt) }),
    ...(finishedAt !== undefined && { finished_at: renderInstant(finishedAt) }),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
  };
}
