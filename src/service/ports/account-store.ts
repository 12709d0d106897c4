import type { Account } from "#core/access/account.ts";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { ProviderIdentity } from "#core/access/provider-person.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import type { Instant } from "#core/time/instant.ts";

/** A hashed password, with everything that is needed to check one against it. */
export type PasswordHash = string;

export interface NewAccount {
  /** Has the person's id, name, level and sites. Nobody knows a text for its hash. */
  readonly token: TokenRecord;
  readonly settings: Pick<Account, "mail" | "language" | "timeFormat" | "provider">;
  readonly password: PasswordHash | undefined;
}

/** Fields that are not here stay as they are. */
export type AccountChange = Partial<
  Pick<Account, "name" | "mail" | "level" | "sites" | "siteLevels" | "language" | "timeFormat"> & {
    readonly password: PasswordHash;
    readonly isSuspended: boolean;
    /** All sessions and tokens of the person end, and the person may sign in again. */
    readonly endsAll: true;
    /** Links the account, or, as undefined, ends the link. One that is linked already is not linked to somebody else. */
    readonly provider: ProviderIdentity | undefined;
  }
>;

export interface AskedAccountChange {
  readonly id: string;
  readonly change: AccountChange;
  readonly at: Instant;
  /** Replaces the hash of the person's own token where all sessions of the person have to end. */
  readonly hash: Uint8Array;
}

/** A link by which a person chooses a password, once. */
export interface Invitation {
  readonly accountId: string;
  /** The lookup key of the code's hash. The code itself is stored nowhere. */
  readonly hash: string;
  readonly expiresAt: Instant;
}

/** A sign-in of a person from somewhere. */
export interface SignInPlace {
  readonly accountId: string;
  /** A keyed hash of the address. */
  readonly place: string;
  readonly at: Instant;
  /** Places that were not used since then are forgotten. */
  readonly since: Instant;
  /** Places that are remembered. */
  readonly most: number;
}

/** Two accounts never have the same mail address, nor are they one person at a provider; a write that would bring that about is refused as `conflict`. */
export interface AccountStore {
  insert(account: NewAccount, trail: AuditEntry): Promise<void>;
  find(id: string): Promise<Account | undefined>;
  /** All people, in the order in which they were added. */
  all(): Promise<readonly Account[]>;
  findPassword(mail: string): Promise<{ readonly id: string; readonly password: PasswordHash | undefined } | undefined>;
  /** Whoever is just this at a provider. A mail address says nothing about it. */
  findByProvider(identity: ProviderIdentity): Promise<Account | undefined>;
  /**
   * A new password, a suspension, or another link to a provider ends all sessions of the person; a suspension also revokes the person's tokens,
   * and so does `endsAll`. A new level or new sites revoke the person's tokens that are for more. Returns the tokens that are no longer as they were,
   * that of the person itself among them; undefined when there is no such account.
   */
  change(asked: AskedAccountChange, trail: AuditEntry): Promise<readonly string[] | undefined>;
  /** Replaces an earlier one. False when there is no such account, or it is suspended or signs in by a provider. */
  invite(invitation: Invitation, trail: AuditEntry): Promise<boolean>;
  /** Also one that has expired. A new password and a suspension end it. */
  findInvitation(hash: string): Promise<Invitation | undefined>;
  /** As `change`, if the invitation is still there and not expired: of two calls at once, one gets it. */
  acceptInvitation(hash: string, asked: AskedAccountChange, trail: AuditEntry): Promise<readonly string[] | undefined>;
  /** Remembers the place. True when the person has signed in before, and not from there: of two sign-ins at once, one is told so. */
  notePlace(place: SignInPlace): Promise<boolean>;
  /** Revokes the person's tokens and deletes what is the person's own. Returns the same as `change`. */
  delete(id: string, at: Instant, trail: AuditEntry): Promise<readonly string[] | undefined>;
}
