// What becomes of a message after an attempt to send it. It was marked as attempted before, so whoever finds the mark without an
// outcome knows that nobody knows: such a message is not sent again, unless its receiver can recognise a repetition.
import { type Instant, instant } from "#core/time/instant.ts";
import type { ChannelTarget } from "./channel.ts";

export const MESSAGE_STATES = ["WAITING", "SENDING", "SENT", "FAILED", "UNKNOWN"] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

export type SendOutcome = (
  | { readonly outcome: "taken" }
  | {
      readonly outcome: "refused";
      readonly error: string;
      /** It would not be taken later either. */
      readonly isFinal: boolean;
      /** The receiver asks to be left alone for so long. */
      readonly retryAfterMs?: number | undefined;
    }
  /** The message may have arrived. */
  | { readonly outcome: "unknown"; readonly error: string }
) & {
  /** Devices that take nothing any more. */
  readonly gone?: readonly string[];
};

export interface SendResult {
  readonly state: MessageState;
  readonly nextAttemptAt: Instant | undefined;
  readonly finishedAt: Instant | undefined;
  readonly error: string | undefined;
}

export const GIVE_UP_MESSAGE_MS = 86_400_000;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** A receiver that says never may be set up wrongly for a moment. */
const MOST_FINAL_REFUSALS = 5;

/** A webhook and a device get the id of the message: the same one twice is one message. */
const knowsRepetitions = (kind: ChannelTarget["kind"]): boolean => kind === "webhook" || kind === "push";

/** `attempts`: with this one. `chance` is from 0 up to 1. */
export function afterSend(
  {
    attempts,
    giveUpAt,
    kind,
  }: { readonly attempts: number; readonly giveUpAt: Instant; readonly kind: ChannelTarget["kind"] },
  outcome: SendOutcome,
  { now, chance }: { readonly now: Instant; readonly chance: number },
): SendResult {
  const ended = { nextAttemptAt: undefined, finishedAt: now };
  if (outcome.outcome === "taken") return { ...ended, state: "SENT", error: undefined };
  const { error } = outcome;
  if (outcome.outcome === "unknown" && !knowsRepetitions(kind)) return { ...ended, state: "UNKNOWN", error };
  const isFinal = outcome.outcome === "refused" && outcome.isFinal && attempts >= MOST_FINAL_REFUSALS;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_PAUSE_MS) * (0.5 + chance / 2);
  const asked = outcome.outcome === "refused" ? Math.min(outcome.retryAfterMs ?? 0, LONGEST_PAUSE_MS) : 0;
  const next = instant(Math.round(now + Math.max(pause, asked)));
  if (isFinal || next >= giveUpAt) return { ...ended, state: "FAILED", error };
  return { state: "WAITING", nextAttemptAt: next, finishedAt: undefined, error };
}
