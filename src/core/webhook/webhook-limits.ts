// Limits on what webhooks may cost.
export const MAX_WEBHOOKS = 500;
/** Limit for one site, and for the webhooks of all sites. A webhook for several sites counts at each. */
export const MAX_WEBHOOKS_PER_SITE = 100;
/** Deliveries that may wait for one webhook; beyond it they are dead at once. */
export const MAX_PENDING_DELIVERIES = 1_000;
export const MAX_PENDING_BYTES = 4 * 1024 * 1024;
/** Delivered and dead ones kept of one webhook, each; the oldest go first. */
export const MAX_PAST_DELIVERIES = 1_000;
/** How long delivered and dead ones are kept. */
export const DELIVERY_RETENTION_MS = 7 * 86_400_000;
