import { DELIVERY_STATES } from "#core/webhook/webhook.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { choice, listOf, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";
import { createWebhook, type WebhookNeeds } from "#service/webhook/create-webhook.ts";
import {
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  retryDelivery,
  testWebhook,
} from "#service/webhook/read-webhooks.ts";
import {
  createdWebhookSchema,
  deliverySchema,
  newWebhookSchema,
  parseNewWebhook,
  renderDelivery,
  renderWebhook,
  webhookSchema,
  webhookTestSchema,
} from "#service/webhook/webhook-wire.ts";

const tag = "Webhooks";

export function webhookOperations(needs: WebhookNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/webhooks",
      name: "createWebhook",
      summary: "Register a webhook",
      description:
        "Alerts, and on request connectivity and executions, are sent to the address as signed POST requests, until they " +
        "are taken or a day has passed. It receives what the caller may see. The secret is shown only once.",
      tag,
      level: "owner",
      body: newWebhookSchema,
      answer: createdWebhookSchema,
      run: async (call) => {
        const { webhook, secret } = await createWebhook(needs, call, parseNewWebhook(call.body));
        return { webhook: renderWebhook(webhook), secret };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/webhooks",
      name: "listWebhooks",
      summary: "List webhooks",
      description: "Those that the caller could have registered itself.",
      tag,
      level: "owner",
      query: paging,
      answer: listAnswer("webhooks", webhookSchema),
      run: async (call) => renderPage("webhooks", await listWebhooks(needs, call, pageOf(call.query)), renderWebhook),
    }),
    operation({
      method: "DELETE",
      path: "/v3/webhooks/:webhook_id",
      name: "deleteWebhook",
      summary: "Delete a webhook",
      description: "Deliveries that are not sent yet are dropped.",
      tag,
      level: "owner",
      answer: NOTHING,
      run: async (call) => {
        await deleteWebhook(needs, call, call.params.webhook_id);
        return {};
      },
    }),
    operation({
      method: "POST",
      path: "/v3/webhooks/:webhook_id/test",
      name: "testWebhook",
      summary: "Try a webhook",
      description:
        "Sends one signed delivery of kind test, once, and answers how that went. It is not among the deliveries.",
      tag,
      level: "owner",
      answer: webhookTestSchema,
      run: async (call) => {
        const { status, error } = await testWebhook(needs, call, call.params.webhook_id);
        return { accepted: error === undefined, status: status ?? null, error: error ?? null };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/webhooks/:webhook_id/deliveries",
      name: "listWebhookDeliveries",
      summary: "List the deliveries of a webhook",
      description: "Those that wait, and those of the last seven days.",
      tag,
      level: "owner",
      query: {
        ...paging,
        "state.in": listOf("Only these states.", DELIVERY_STATES),
        order: choice("Newest first unless said otherwise.", ["QUEUED_AT_DESC", "QUEUED_AT_ASC"]),
      },
      answer: listAnswer("deliveries", deliverySchema),
      run: async (call) => {
        const page = await listDeliveries(needs, call, {
          webhookId: call.params.webhook_id,
          filter: { newestFirst: call.query.order !== "QUEUED_AT_ASC", states: call.query["state.in"] },
          page: pageOf(call.query),
        });
        return renderPage("deliveries", page, renderDelivery);
      },
    }),
    operation({
      method: "POST",
      path: "/v3/webhooks/:webhook_id/deliveries/:delivery_id/retry",
      name: "retryWebhookDelivery",
      summary: "Deliver again",
      description: "Tries at once, and then for another day. Also one that was delivered is sent again.",
      tag,
      level: "owner",
      answer: Type.Object({ delivery: deliverySchema }, { additionalProperties: false }),
      run: async (call) => {
        const { webhook_id: webhookId, delivery_id: deliveryId } = call.params;
        return { delivery: renderDelivery(await retryDelivery(needs, call, { webhookId, deliveryId })) };
      },
    }),
  ];
}
