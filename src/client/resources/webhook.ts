/** An address that receives events. */
export type Webhook = {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  /** Null for all. */
  readonly site_ids: readonly string[] | null;
  readonly created_at: string;
};

export type WebhookKind = "alert" | "connectivity" | "execution";

export type Delivery = {
  readonly id: string;
  readonly webhook_id: string;
  readonly kind: WebhookKind;
  readonly occurred_at: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly queued_at: string;
  readonly next_attempt_at?: string;
  readonly finished_at?: string;
  /** HTTP status of the last answer. */
  readonly status?: number;
  readonly error?: string;
};

/** DEAD: given up. It can be retried. */
export type DeliveryState = "PENDING" | "DELIVERED" | "DEAD";
