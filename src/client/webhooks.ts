import { listOf, listUnder } from "./list-of.ts";
import type { NewWebhook, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

export function webhooks({ perform }: Transport) {
  return {
    /** The secret that deliveries are signed with is in this answer and nowhere else. */
    create: (body: NewWebhook) => perform("createWebhook", { body }),
    list: listOf("webhooks", (query: Queries["listWebhooks"] = {}) => perform("listWebhooks", { query })),
    delete: (webhook_id: string) => perform("deleteWebhook", { params: { webhook_id } }),
    /** Sends one delivery of kind test, and returns how that went. */
    test: (webhook_id: string) => perform("testWebhook", { params: { webhook_id } }),
    deliveries: listUnder("deliveries", (webhook_id: string, query: Queries["listWebhookDeliveries"] = {}) =>
      perform("listWebhookDeliveries", { params: { webhook_id }, query }),
    ),
    /** Tries at once, and then for another day. */
    retry: (webhook_id: string, delivery_id: string) =>
      perform("retryWebhookDelivery", { params: { webhook_id, delivery_id } }),
  };
}
