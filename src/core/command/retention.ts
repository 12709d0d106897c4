/** An ephemeral execution is gone from every read exactly this long after its creation. */
export const EPHEMERAL_LIFETIME_MS = 24 * 3_600_000;

/** How long an idempotency key is remembered. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 3_600_000;
