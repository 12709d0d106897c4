// What a gateway has sent to its cloud over one connection, and what the cloud has confirmed of it, as a pure fold.
import type { Instant } from "#core/time/instant.ts";
import type { DownMessage } from "./messages.ts";

export interface SentChanges {
  /** Messages of records that the cloud has not confirmed. */
  readonly unconfirmed: number;
  /** Everything up to this number was sent, or is never sent. */
  readonly sentTo: number;
  /** The cloud has confirmed everything up to this number. */
  readonly acked: number;
  /** Up to which number that is noted on the gateway, and when it may be noted again. */
  readonly noted: number;
  readonly noteAfter: number;
  /** What the cloud has once it has confirmed the number: everything. */
  readonly whole: { readonly to: number; readonly epoch: string } | undefined;
}

export const NOTHING_SENT: SentChanges = {
  unconfirmed: 0,
  sentTo: 0,
  acked: 0,
  noted: 0,
  noteAfter: 0,
  whole: undefined,
};

const MAX_UNCONFIRMED = 4;
const NOTE_EVERY_MS = 10_000;

/**
 * After which number the gateway sends what changed; null: it sends everything. A number that is not reached here comes from
 * records that were replaced by older ones. A cloud of another epoch, or one that has confirmed more than it has now, was
 * replaced itself.
 */
export function sendAfter(
  { taken, epoch }: Pick<Extract<DownMessage, { type: "welcome" }>, "taken" | "epoch">,
  own: { readonly confirmed: number; readonly cloudEpoch: string | undefined; readonly latest: number },
): number | null {
  if (taken === null || epoch !== own.cloudEpoch) return null;
  return taken >= own.confirmed && taken <= own.latest ? taken : null;
}

/** The next message of records waits for a confirmation. */
export function mustWait({ unconfirmed }: SentChanges): boolean {
  return unconfirmed >= MAX_UNCONFIRMED;
}

export function withSent(sent: SentChanges): SentChanges {
  return { ...sent, unconfirmed: sent.unconfirmed + 1 };
}

/** The cloud has all records of this epoch of its own once it has confirmed the number. */
export function withWhole(sent: SentChanges, whole: { readonly to: number; readonly epoch: string }): SentChanges {
  return { ...sent, whole };
}

export function withSentTo(sent: SentChanges, sentTo: number): SentChanges {
  return { ...sent, sentTo };
}

/** `completed`: the epoch of the cloud that has everything now. `note`: the number to note, from time to time. */
export function withAck(
  sent: SentChanges,
  to: number,
  at: Instant,
): { readonly sent: SentChanges; readonly completed: string | undefined; readonly note: number | undefined } {
  const { whole } = sent;
  const isComplete = whole !== undefined && to >= whole.to;
  const next = {
    ...sent,
    unconfirmed: Math.max(0, sent.unconfirmed - 1),
    acked: Math.max(sent.acked, to),
    whole: isComplete ? undefined : whole,
  };
  const completed = isComplete ? whole.epoch : undefined;
  if (to <= 0 || at < sent.noteAfter) return { sent: next, completed, note: undefined };
  return { ...withNoted({ ...next, noteAfter: at + NOTE_EVERY_MS }), completed };
}

/** What is confirmed and not noted yet is to be noted. */
export function withNoted(sent: SentChanges): { readonly sent: SentChanges; readonly note: number | undefined } {
  const { acked, noted } = sent;
  return acked > noted ? { sent: { ...sent, noted: acked }, note: acked } : { sent, note: undefined };
}

/** The cloud has stored everything up to this number. Not every change is sent, and the last ones may be such. */
export function takenByCloud({ unconfirmed, sentTo, acked }: SentChanges): number {
  return unconfirmed === 0 ? Math.max(sentTo, acked) : acked;
}
