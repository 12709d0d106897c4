import type { Door } from "#core/access/door.ts";
import type { Instant } from "#core/time/instant.ts";

/** Who did something. The name is the one that the token had then. */
export interface Actor {
  readonly tokenId: string;
  readonly name: string;
}

/** Somebody takes care of one raising of an alert. It ends reminders and escalation, not the alert. */
export interface Acknowledgement {
  readonly at: Instant;
  readonly by: Actor;
  /** How it came, as in the audit log. */
  readonly door?: Door | undefined;
  readonly comment: string | undefined;
}

export const LONGEST_COMMENT = 1_000;
