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
  /** Refuses with `conflict` when there are too many, of one of its sites or in all. */
  insert(webhook: Webhook, trail: AuditEntry): Promise<void>;
  /** Every webhook; there are few. Ordered by id, which is the order of creation. */
  all(): Promise<readonly Webhook[]>;
  /** Its deliveries go with it. False when there is no such webhook. */
  delete(id: string, trail: AuditEntry): Promise<boolean>;
  /** Queues a delivery for each webhook that wants the notice and may know of it. */
  enqueue(notices: readonly Notice[]): Promise<void>;
  /** The oldest delivery that is due of each webhook that is not busy. */
  due(now: Instant, busy: Iterable<string>): Promise<readonly Pick<Delivery, "id" | "webhookId">[]>;
  find(deliveryId: string): Promise<Delivery | undefined>;
  /** When the next one is due of all webhooks that are not busy. */
  nextAttempt(busy: Iterable<string>): Promise<Instant | undefined>;
  settle(deliveryId: string, outcome: Outcome): Promise<void>;
  /** In the order of happening. */
  deliveries(webhookId: string, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
  /** Makes a delivery due now, with another day to succeed; undefined when there is none. */
  retry(
    which: { readonly webhookId: string; readonly deliveryId: string; readonly now: Instant },
    trail: AuditEntry,
  ): Promise<Delivery | undefined>;
  /** Deletes delivered and dead ones that ended before, a bounded number at a time; gives how many. */
  prune(before: Instant): Promise<number>;
}
