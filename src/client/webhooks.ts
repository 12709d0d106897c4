import { listOf, listUnder } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers, DeliveryState, NewWebhook } from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

type DeliveryFilter = Window & {
  readonly "state.in"?: readonly DeliveryState[] | undefined;
  readonly order?: "QUEUED_AT_ASC" | "QUEUED_AT_DESC" | undefined;
};

export function webhooks({ json }: Transport) {
  const at = (id: string, rest = "") => `/v3/webhooks/${segment(id)}${rest}`;
  return {
    /** The secret that deliveries are signed with is in this answer and nowhere else. */
    create: (webhook: NewWebhook) =>
      json<Answers["createWebhook"]>({ method: "POST", path: "/v3/webhooks", body: webhook }),
    list: listOf("webhooks", (window: Window = {}) =>
      json<Answers["listWebhooks"]>({ method: "GET", path: "/v3/webhooks", query: { ...window } }),
    ),
    delete: (id: string) => json<Answers["deleteWebhook"]>({ method: "DELETE", path: at(id) }),
    /** Sends one delivery of kind test, and tells how that went. */
    test: (id: string) =>
      json<Answers["testWebhook"]>({
        method: "POST",
        path: at(id, "/test"),
      }),
    deliveries: listUnder("deliveries", (id: string, filter: DeliveryFilter = {}) =>
      json<Answers["listWebhookDeliveries"]>({ method: "GET", path: at(id, "/deliveries"), query: { ...filter } }),
    ),
    /** Tries at once, and then for another day. */
    retry: (id: string, deliveryId: string) =>
      json<Answers["retryWebhookDelivery"]>({
        method: "POST",
        path: at(id, `/deliveries/${segment(deliveryId)}/retry`),
      }),
  };
}
