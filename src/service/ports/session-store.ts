import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Session } from "#core/access/session.ts";
import type { Instant } from "#core/time/instant.ts";

export interface NewSession {
  readonly session: Session;
  /** A session of the same browser, which ends with this one. */
  readonly replaces: string | undefined;
  /** How many sessions the token may have; beyond that, those that were used least recently end. */
  readonly most: number;
}

/** New hashes for the session, if its hash still is `from`. */
export interface Renewal extends Pick<Session, "id" | "hash" | "previousHash" | "renewedAt"> {
  readonly from: Uint8Array;
}

/** A code that signs in once. */
export interface SignInCode {
  /** The lookup key of the code's hash. The code itself is stored nowhere. */
  readonly hash: string;
  readonly tokenId: string;
  /** A screen on a wall, where nobody signs in again. */
  readonly isForScreen: boolean;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export interface NewSignInCode {
  readonly code: SignInCode;
  /** Beyond so many codes of its token, or of all tokens, the oldest end. */
  readonly mostOfToken: number;
  readonly most: number;
}

export interface SessionStore {
  /** Returns the ids of the sessions that ended with it. */
  insert(input: NewSession, trail: AuditEntry): Promise<readonly string[]>;
  find(id: string): Promise<Session | undefined>;
  /** All sessions; there are few. Ordered by id, which is the order of creation. */
  all(): Promise<readonly Session[]>;
  /** False when the session has ended or was renewed meanwhile. */
  renew(renewal: Renewal): Promise<boolean>;
  /** False when there is no such session. */
  end(id: string, trail: AuditEntry): Promise<boolean>;
  /** Ends every session of the token. Returns their ids; nothing is noted when there are none. */
  endOfToken(tokenId: string, trail: AuditEntry): Promise<readonly string[]>;
  /**
   * Ends the sessions of the token, and the sign-ins that wait for its second factor, which came from this session at a provider or from one
   * that is not known; undefined: from any. Returns the ids of the sessions; nothing is noted when there are none.
   */
  endOfProvider(tokenId: string, providerSession: string | undefined, trail: AuditEntry): Promise<readonly string[]>;
  noteUse(uses: ReadonlyMap<string, Instant>): Promise<void>;
  /** Codes that have expired by then are deleted. */
  insertCode(input: NewSignInCode): Promise<void>;
  /** Also one that has expired. */
  findCode(hash: string): Promise<SignInCode | undefined>;
  /** Uses it up. False when there is no such code, or it has expired: of two calls at once, one gets it. */
  takeCode(hash: string, now: Instant): Promise<boolean>;
  /** Deletes sessions that have expired or were not used since `idleSince`. Returns how many. */
  prune(limits: { readonly expiredAt: Instant; readonly idleSince: Instant }): Promise<number>;
}
