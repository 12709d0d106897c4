// How much of the audit log refused calls may take. A refused call changes nothing and costs its caller nothing, so it
// must not cost the log much either.

/** Refusals of the same caller, action, code and target within this time are one entry with a count. */
export const REFUSAL_WINDOW_MS = 600_000;

/** Entries of refusals in one window. What goes beyond is counted by one entry for the token, the address or all. */
export const MAX_REFUSALS = { token: 50, address: 20, anonymous: 100, all: 1_000 } as const;

/** Entries of refusals that are kept. The oldest go first. */
export const KEPT_REFUSALS = { anonymous: 10_000, token: 100_000 } as const;

/** Refusals of calls without a valid token are kept this long at most. */
export const ANONYMOUS_REFUSAL_LIFETIME_MS = 7 * 86_400_000;
