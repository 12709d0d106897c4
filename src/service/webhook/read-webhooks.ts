import { covers } from "#core/access/caller.ts";
import { refuse } from "#core/app-error.ts";
import type { Delivery, Webhook } from "#core/webhook/webhook.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { SendResult } from "#service/ports/webhook-sender.ts";
import type { DeliveryFilter } from "#service/ports/webhook-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { WebhookNeeds } from "#service/webhook/create-webhook.ts";

/** The webhooks that the caller could have created itself. */
export async function listWebhooks(
  needs: Pick<Needs, "webhooks">,
  { caller }: Call,
  { limit, offset }: PageRequest,
): Promise<Page<Webhook>> {
  const visible = (await needs.webhooks.all()).filter((webhook) => covers(caller, webhook));
  return { items: visible.slice(offset, offset + limit), total: visible.length };
}

export async function deleteWebhook(needs: WebhookNeeds, call: Call, id: string): Promise<void> {
  const webhook = await visibleWebhook(needs, call, id);
  const details = { webhook_id: id, origin: new URL(webhook.url).origin };
  const trail = auditTrail(needs, call, { target: targetOf(webhook), details });
  if (!(await needs.webhooks.delete(id, trail))) throw notFound(id);
  await needs.webhookDispatcher.refresh();
}

export async function listDeliveries(
  needs: Pick<Needs, "webhooks">,
  call: Call,
  {
    webhookId,
    filter,
    page,
  }: { readonly webhookId: string; readonly filter: DeliveryFilter; readonly page: PageRequest },
): Promise<Page<Delivery>> {
  const { id } = await visibleWebhook(needs, call, webhookId);
  return await needs.webhooks.deliveries(id, filter, page);
}

export async function retryDelivery(
  needs: WebhookNeeds,
  call: Call,
  { webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string },
): Promise<Delivery> {
  const webhook = await visibleWebhook(needs, call, webhookId);
  const details = { webhook_id: webhook.id, delivery_id: deliveryId };
  const trail = auditTrail(needs, call, { target: targetOf(webhook), details });
  const delivery = await needs.webhooks.retry({ webhookId: webhook.id, deliveryId, now: needs.now() }, trail);
  if (delivery === undefined) throw refuse("not_found", `there is no delivery ${deliveryId.slice(0, 80)}`);
  needs.webhookDispatcher.wake();
  return delivery;
}

/** Sends one delivery of kind `test` and waits for its outcome. */
export async function testWebhook(needs: WebhookNeeds, call: Call, id: string): Promise<SendResult> {
  const webhook = await visibleWebhook(needs, call, id);
  const result = await needs.webhookDispatcher.sendTest(webhook, needs.newId());
  const details = { webhook_id: id, origin: new URL(webhook.url).origin, error: result.error ?? null };
  await needs.audit.append([auditTrail(needs, call, { target: targetOf(webhook), details })]);
  return result;
}

async function visibleWebhook(needs: Pick<Needs, "webhooks">, { caller }: Call, id: string): Promise<Webhook> {
  const webhook = (await needs.webhooks.all()).find((one) => one.id === id);
  if (webhook === undefined || !covers(caller, webhook)) throw notFound(id);
  return webhook;
}

function targetOf({ sites }: Webhook): { readonly siteId?: string } {
  const [only] = sites === "all" || sites.size !== 1 ? [] : sites;
  return only === undefined ? {} : { siteId: only };
}

function notFound(id: string) {
  return refuse("not_found", `there is no webhook ${id.slice(0, 80)}`);
}
