import { DELIVERY_STATES } from "#core/webhook/webhook.ts";
import { choice, listOf, pageOf, paging } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import {
  createdWebhookSchema,
  deliverySchema,
  newWebhookSchema,
  parseNewWebhook,
  renderDelivery,
  renderWebhook,
  webhookSchema,
  webhookTestSchema,
} from "#http/webhook/webhook-wire.ts";
import { listAnswer, NOTHING, renderPage } from "#http/wire.ts";
import { createWebhook, type WebhookNeeds } from "#service/webhook/create-webhook.ts";
import {
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  retryDelivery,
  testWebhook,
} from "#service/webhook/read-webhooks.ts";

const tag = "Webhooks";

export function webhookRoutes(needs: WebhookNeeds): readonly Route[] {
  return [
    route({
      method: "POST",
      path: "/v3/webhooks",
      operation: "createWebhook",
      summary: "Register a webhook",
      description:
        "Alerts, and on request connectivity and executions, are sent to the address as signed POST requests, until they " +
        "are taken or a day has passed. It is told what the caller may know. The secret is shown this once.",
      tag,
      access: "owner",
      body: newWebhookSchema,
      answer: createdWebhookSchema,
      handle: async (call) => {
        const { webhook, secret } = await createWebhook(needs, call, parseNewWebhook(call.body));
        return { webhook: renderWebhook(webhook), secret };
      },
    }),
    route({
      method: "GET",
      path: "/v3/webhooks",
      operation: "listWebhooks",
      summary: "List webhooks",
      description: "Those that the caller could have registered itself.",
      tag,
      access: "owner",
      query: paging,
      answer: listAnswer("webhooks", webhookSchema),
      handle: async (call) =>
        renderPage("webhooks", await listWebhooks(needs, call, pageOf(call.query)), renderWebhook),
    }),
    route({
      method: "DELETE",
      path: "/v3/webhooks/:webhook_id",
      operation: "deleteWebhook",
      summary: "Delete a webhook",
      description: "What it has not been told yet is dropped.",
      tag,
      access: "owner",
      answer: NOTHING,
      handle: async (call) => {
        await deleteWebhook(needs, call, call.params.webhook_id);
        return {};
      },
    }),
    route({
      method: "POST",
      path: "/v3/webhooks/:webhook_id/test",
      operation: "testWebhook",
      summary: "Try a webhook",
      description:
        "Sends one signed delivery of kind test, once, and answers how that went. It is not among the deliveries.",
      tag,
      access: "owner",
      answer: webhookTestSchema,
      handle: async (call) => {
        const { status, error } = await testWebhook(needs, call, call.params.webhook_id);
        return { accepted: error === undefined, status: status ?? null, error: error ?? null };
      },
    }),
    route({
      method: "GET",
      path: "/v3/webhooks/:webhook_id/deliveries",
      operation: "listWebhookDeliveries",
      summary: "List the deliveries of a webhook",
      description: "Those that wait, and those of the last seven days.",
      tag,
      access: "owner",
      query: {
        ...paging,
        "state.in": listOf("Only these states.", DELIVERY_STATES),
        order: choice("Newest first unless said otherwise.", ["QUEUED_AT_DESC", "QUEUED_AT_ASC"]),
      },
      answer: listAnswer("deliveries", deliverySchema),
      handle: async (call) => {
        const page = await listDeliveries(needs, call, {
          webhookId: call.params.webhook_id,
          filter: { newestFirst: call.query.order !== "QUEUED_AT_ASC", states: call.query["state.in"] },
          page: pageOf(call.query),
        });
        return renderPage("deliveries", page, renderDelivery);
      },
    }),
    route({
      method: "POST",
      path: "/v3/webhooks/:webhook_id/deliveries/:delivery_id/retry",
      operation: "retryWebhookDelivery",
      summary: "Deliver again",
      description: "Tries at once, and then for another day. Also one that was delivered is sent again.",
      tag,
      access: "owner",
      answer: Type.Object({ delivery: deliverySchema }, { additionalProperties: false }),
      handle: async (call) => {
        const { webhook_id: webhookId, delivery_id: deliveryId } = call.params;
        return { delivery: renderDelivery(await retryDelivery(needs, call, { webhookId, deliveryId })) };
      },
    }),
  ];
}
