import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Instant } from "#core/time/instant.ts";

export interface SecondFactor {
  readonly accountId: string;
  readonly sealedSecret: Uint8Array;
  /** Undefined: it is offered only, and sign-in does not ask for it. */
  readonly confirmedAt: Instant | undefined;
  /** The time step of the last code that was accepted: neither its code nor an earlier one is accepted again. */
  readonly lastStep: number;
  readonly recoveryCodesLeft: number;
}

export interface ConfirmedFactor {
  readonly accountId: string;
  /** Of the code that confirms it. */
  readonly step: number;
  readonly at: Instant;
  readonly recoveryHashes: readonly string[];
}

/** What a code uses up. */
export type SpentCode = { readonly step: number } | { readonly recoveryHash: string };

/** A sign-in whose password was right, or that came from a provider, and whose second factor is missing. */
export interface SignInStep {
  /** The lookup key of its text's hash. The text itself is stored nowhere. */
  readonly hash: string;
  readonly accountId: string;
  /** The hash of the person's access at the password: the sign-in does not outlive a change of it. */
  readonly tokenHash: Uint8Array;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** As of the session that it becomes. */
  readonly providerSession: string | undefined;
}

export interface SecondFactorStore {
  find(accountId: string): Promise<SecondFactor | undefined>;
  /** In place of one that was not confirmed. False where one is confirmed, or there is no such account. */
  offer(accountId: string, sealedSecret: Uint8Array): Promise<boolean>;
  /** False where nothing is offered, or it is confirmed already. */
  confirm(factor: ConfirmedFactor, trail: AuditEntry): Promise<boolean>;
  /** Of many calls at once with one code, one gets true. */
  spend(accountId: string, code: SpentCode): Promise<boolean>;
  /** False where no second factor is confirmed. */
  replaceRecoveryCodes(accountId: string, hashes: readonly string[], trail: AuditEntry): Promise<boolean>;
  /** With its recovery codes and the sign-ins that wait for it. False where none is confirmed. */
  remove(accountId: string, trail: AuditEntry): Promise<boolean>;
  /** Beyond `mostOfAccount` the oldest of the account ends. Steps that have expired by then are deleted. */
  insertStep(step: SignInStep, mostOfAccount: number): Promise<void>;
  /** Also one that has expired. */
  findStep(hash: string): Promise<SignInStep | undefined>;
  /** Uses it up. False when there is no such step, or it has expired: of two calls at once, one gets it. */
  takeStep(hash: string, now: Instant): Promise<boolean>;
}
