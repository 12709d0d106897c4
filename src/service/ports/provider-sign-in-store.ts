import type { Instant } from "#core/time/instant.ts";

/** A browser that is on its way to the provider and back. */
export interface NewProviderSignIn {
  /** Lookup keys of the hashes of what it brings back, and of what its cookie holds. */
  readonly stateKey: string;
  readonly browserKey: string;
  /** The owner of the address that asks. */
  readonly addressBlock: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** Beyond so many of one address its oldest ends. With so many of all, a further one is not stored. */
  readonly mostOfAddress: number;
  readonly most: number;
}

export interface ProviderSignInStore {
  /** Deletes what has expired. False: there are too many. */
  insert(signIn: NewProviderSignIn): Promise<boolean>;
  /** Uses it up. False when there is none of this browser that is open: of two calls at once, one gets it. */
  take(key: { readonly stateKey: string; readonly browserKey: string }, now: Instant): Promise<boolean>;
}
