import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Passkey } from "#core/access/passkey.ts";
import type { Instant } from "#core/time/instant.ts";

/** A challenge that was signed. It is remembered until it ends, and not accepted again. */
export interface UsedChallenge {
  readonly key: string;
  readonly expiresAt: Instant;
}

export interface PasskeyUse {
  readonly id: string;
  /** Has to be more than before, unless both are 0: another device has a copy of the key otherwise. */
  readonly useCount: number;
  readonly challenge: UsedChallenge;
  readonly at: Instant;
}

export interface PasskeyStore {
  /** False where the challenge was used before. Refuses with `conflict` beyond `most` of the person, and an id that is taken. */
  insert(
    input: { readonly passkey: Passkey; readonly challenge: UsedChallenge; readonly most: number },
    trail: AuditEntry,
  ): Promise<boolean>;
  find(id: string): Promise<Passkey | undefined>;
  /** In the order in which they were added. */
  ofAccount(accountId: string): Promise<readonly Passkey[]>;
  /** False where the challenge was used before, or the count did not rise: of two calls at once, one gets it. */
  use(use: PasskeyUse): Promise<boolean>;
  /** False when the person has no such passkey. */
  rename(
    named: { readonly accountId: string; readonly id: string; readonly name: string },
    trail: AuditEntry,
  ): Promise<boolean>;
  delete(named: { readonly accountId: string; readonly id: string }, trail: AuditEntry): Promise<boolean>;
}
