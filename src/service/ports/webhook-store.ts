import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Outcome } from "#core/webhook/after-attempt.ts";
import type { Delivery, DeliveryState, Notice, Webhook } from "#core/webhook/webhook.ts";
import type { Page, PageRequest } from "./page.ts";

export interface DeliveryFilter {
  readonly states?: readonly DeliveryState[] | undefined;
  readonly newestFirst: boolean;
}

export interface WebhookStore {
  /** Refuses with `conflict` when there are too many, for one of its sites or in total. */
  insert(webhook: Webhook, trail: AuditEntry): Promise<void>;
  /** All webhooks; there are few. Ordered by id, which is the order of creation. */
  all(): Promise<readonly Webhook[]>;
  /** Deletes the webhook and its deliveries. False when there is no such webhook. */
  delete(id: string, trail: AuditEntry): Promise<boolean>;
  /** Queues a delivery for each webhook that subscribes to the notice and may see it. */
  enqueue(notices: readonly Notice[]): Promise<void>;
  /** For each webhook that is not busy: the oldest delivery that is due. */
  due(now: Instant, busy: Iterable<string>): Promise<readonly Pick<Delivery, "id" | "webhookId">[]>;
  find(deliveryId: string): Promise<Delivery | undefined>;
  /** When the next delivery is due, over all webhooks that are not busy. */
  nextAttempt(busy: Iterable<string>): Promise<Instant | undefined>;
  /** How many deliveries wait for their first or next attempt. */
  waiting(): Promise<number>;
  settle(deliveryId: string, outcome: Outcome): Promise<void>;
  /** In the order in which they happened. */
  deliveries(webhookId: string, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
  /** Makes a delivery due now and gives it another day to succeed; undefined when it does not exist. */
  retry(
    which: { readonly webhookId: string; readonly deliveryId: string; readonly now: Instant },
    trail: AuditEntry,
  ): Promise<Delivery | undefined>;
  /** Deletes delivered and dead deliveries that ended before, a bounded number at a time. Returns how many. */
  prune(before: Instant): Promise<number>;
}
