import { listOf, listUnder } from "./list-of.ts";
import type { JsonObject } from "./resources/json.ts";
import type { Page, Window } from "./resources/page.ts";
import type { Delivery, DeliveryState, Webhook, WebhookKind } from "./resources/webhook.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

type NewWebhook = {
  readonly url: string;
  /** Without it: all sites that the token sees. */
  readonly site_ids?: readonly string[];
  /** Without it: alert. */
  readonly kinds?: readonly WebhookKind[];
};

type DeliveryFilter = Window & {
  readonly "state.in"?: readonly DeliveryState[] | undefined;
  readonly order?: "QUEUED_AT_ASC" | "QUEUED_AT_DESC" | undefined;
};

export function webhooks({ json }: Transport) {
  const at = (id: string, rest = "") => `/v3/webhooks/${segment(id)}${rest}`;
  return {
    /** The secret that deliveries are signed with is in this answer and nowhere else. */
    create: (webhook: NewWebhook) =>
      json<{ webhook: Webhook; secret: string }>({ method: "POST", path: "/v3/webhooks", body: webhook }),
    list: listOf("webhooks", (window: Window = {}) =>
      json<Page<"webhooks", Webhook>>({ method: "GET", path: "/v3/webhooks", query: { ...window } }),
    ),
    delete: (id: string) => json<JsonObject>({ method: "DELETE", path: at(id) }),
    /** Sends one delivery of kind test, and tells how that went. */
    test: (id: string) =>
      json<{ accepted: boolean; status: number | null; error: string | null }>({
        method: "POST",
        path: at(id, "/test"),
      }),
    deliveries: listUnder("deliveries", (id: string, filter: DeliveryFilter = {}) =>
      json<Page<"deliveries", Delivery>>({ method: "GET", path: at(id, "/deliveries"), query: { ...filter } }),
    ),
    /** Tries at once, and then for another day. */
    retry: (id: string, deliveryId: string) =>
      json<{ delivery: Delivery }>({ method: "POST", path: at(id, `/deliveries/${segment(deliveryId)}/retry`) }),
  };
}
