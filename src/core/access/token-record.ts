import type { Access } from "#core/access/caller.ts";
import type { Instant } from "#core/time/instant.ts";

/** The stored part of a token. Its text is shown once and never stored. */
export interface TokenRecord extends Access {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the token's text. */
  readonly hash: Uint8Array;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
  readonly lastUsedAt: Instant | undefined;
  /** On a gateway: a token of the cloud. */
  readonly fromCloud?: true;
  /** The person whose it is; undefined: the installation's. */
  readonly accountId?: string;
}

/** Whether it has no text and is the access of a person of this installation: what sessions of that person stand for. */
export function isPerson({ id, accountId, fromCloud }: Pick<TokenRecord, "id" | "accountId" | "fromCloud">): boolean {
  return id === accountId && fromCloud !== true;
}

export function isLive(token: TokenRecord, now: Instant): boolean {
  return token.revokedAt === undefined && (token.expiresAt === undefined || now < token.expiresAt);
}

/** The one token that the bootstrap owns: it comes from a file or the environment, so no call can revoke it. */
export const ADMIN_TOKEN_ID = "00000000-0000-7000-8000-000000000001";
