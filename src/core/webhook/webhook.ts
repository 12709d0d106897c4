import type { SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { Instant } from "#core/time/instant.ts";

export const WEBHOOK_KINDS = ["alert", "connectivity", "execution", "notification"] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** An address that receives events, limited to what the token that registered it may read. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  readonly sites: SiteScope;
  readonly level: AccessLevel;
  readonly createdAt: Instant;
  /** What deliveries are signed with. */
  readonly sealedSecret: Uint8Array;
}

/** An event on its way to a webhook. */
export interface Notice {
  readonly kind: WebhookKind;
  readonly siteId: string;
  /** Needed to know of it. */
  readonly readLevel: AccessLevel;
  readonly occurredAt: Instant;
  readonly queuedAt: Instant;
  /** JSON text of an object. */
  readonly event: string;
  /** Of the event in the outbox. A webhook gets the same event once, however often it is queued. */
  readonly position?: number | undefined;
}

export const DELIVERY_STATES = ["PENDING", "DELIVERED", "DEAD"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly kind: WebhookKind;
  readonly occurredAt: Instant;
  readonly event: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly queuedAt: Instant;
  /** Only of a pending one. */
  readonly nextAttemptAt: Instant | undefined;
  readonly giveUpAt: Instant;
  /** HTTP status of the last answer. */
  readonly status: number | undefined;
  /** Why the last attempt failed. */
  readonly error: string | undefined;
  readonly finishedAt: Instant | undefined;
}

/** Whose attempts its own count as: those of its site, of several the first. */
export function siteOf({ sites }: Pick<Webhook, "sites">): string {
  return sites === "all" ? "all" : ([...sites].sort()[0] ?? "none");
}

export function wants(
  webhook: Pick<Webhook, "kinds" | "sites">,
  { kind, siteId }: Pick<Notice, "kind" | "siteId">,
): boolean {
  return webhook.kinds.includes(kind) && (webhook.sites === "all" || webhook.sites.has(siteId));
}
