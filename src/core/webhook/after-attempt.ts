// What happens to a delivery after an attempt: it is delivered, tried again after a growing pause, or dead after a day.
import { type Instant, instant } from "#core/time/instant.ts";
import type { Delivery } from "#core/webhook/webhook.ts";

export const GIVE_UP_AFTER_MS = 24 * 3_600_000;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 3_600_000;

export interface Attempt {
  readonly at: Instant;
  readonly status: number | undefined;
  /** Undefined when the receiver took it. */
  readonly error: string | undefined;
}

export type Outcome = Pick<Delivery, "state" | "attempts" | "nextAttemptAt" | "status" | "error" | "finishedAt">;

/** `chance` is from 0 up to 1: pauses of many deliveries must not end together. */
export function afterAttempt(
  delivery: Pick<Delivery, "attempts" | "giveUpAt">,
  { at, status, error }: Attempt,
  chance: number,
): Outcome {
  const attempts = delivery.attempts + 1;
  const finished = { attempts, status, error, nextAttemptAt: undefined, finishedAt: at };
  if (error === undefined) return { ...finished, state: "DELIVERED" };
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(delivery.attempts, 20), LONGEST_PAUSE_MS);
  const next = instant(Math.round(at + pause * (0.5 + chance / 2)));
  if (next >= delivery.giveUpAt) return { ...finished, state: "DEAD" };
  return { state: "PENDING", attempts, status, error, nextAttemptAt: next, finishedAt: undefined };
}
