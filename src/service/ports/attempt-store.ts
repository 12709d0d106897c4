import type { Instant } from "#core/time/instant.ts";

export interface Attempt {
  /** Whom it is counted for. */
  readonly source: string;
  /** Attempts in one window. */
  readonly most: number;
  readonly windowMs: number;
}

export interface AttemptCount {
  /** This attempt included. */
  readonly count: number;
  readonly endsAt: Instant;
}

export interface AttemptStore {
  /** Counts one attempt for each source, in their order, up to the first that is over its limit. Of many at once each has a count of its own. */
  note(attempts: readonly Attempt[], now: Instant): Promise<readonly AttemptCount[]>;
  /** Takes one attempt of each source back. */
  forgive(sources: readonly string[]): Promise<void>;
  /** Deletes windows that have ended, and of more than `most` those that end first. Returns how many. */
  prune(limits: { readonly now: Instant; readonly most: number }): Promise<number>;
}
