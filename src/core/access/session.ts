import type { Instant } from "#core/time/instant.ts";

/** Sessions of one token. One more ends the one that was used least recently. */
export const MAX_SESSIONS_PER_TOKEN = 32;

/** The cookie of a session gets a new value when it is this old. */
export const RENEW_AFTER_MS = 3_600_000;

/** The value before is accepted this long after the new one was first used: calls may have been under way. */
export const RENEW_GRACE_MS = 60_000;

export const MAX_USER_AGENT_LENGTH = 200;

/** The stored part of a session. The text in its cookie is never stored. */
export interface Session {
  readonly id: string;
  readonly tokenId: string;
  /** The hash of the token when it signed in. A session does not outlive a change of its token. */
  readonly tokenHash: Uint8Array;
  /** SHA-256 of the text in the cookie. */
  readonly hash: Uint8Array;
  /** Of the value before the last renewal. */
  readonly previousHash: Uint8Array | undefined;
  readonly renewedAt: Instant;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly lastUsedAt: Instant;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** As the provider names the session there that it came from. Undefined: it came from none, or the provider names none. */
  readonly providerSession: string | undefined;
}
