// What a gateway has told its cloud over one connection, and what the cloud has confirmed of it, as a pure fold.
import type { Instant } from "#core/time/instant.ts";
import type { DownMessage } from "./messages.ts";

export interface ToldChanges {
  /** Messages of records that the cloud has not confirmed. */
  readonly unconfirmed: number;
  /** Everything up to this number was told, or is nothing that is told. */
  readonly toldTo: number;
  /** The cloud has confirmed everything up to this number. */
  readonly acked: number;
  /** Up to which number that is noted on the gateway, and when it may be noted again. */
  readonly noted: number;
  readonly noteAfter: number;
  /** What the cloud has once it has confirmed the number: everything. */
  readonly whole: { readonly to: number; readonly epoch: string } | undefined;
}

export const NOTHING_TOLD: ToldChanges = {
  unconfirmed: 0,
  toldTo: 0,
  acked: 0,
  noted: 0,
  noteAfter: 0,
  whole: undefined,
};

const MAX_UNCONFIRMED = 4;
const NOTE_EVERY_MS = 10_000;

/**
 * After which number the gateway tells what changed; null: it tells everything. A number that is not reached here comes from
 * records that were replaced by older ones. A cloud of another epoch, or one that has confirmed more than it has now, was
 * replaced itself.
 */
export function tellAfter(
  { taken, epoch }: Pick<Extract<DownMessage, { type: "welcome" }>, "taken" | "epoch">,
  own: { readonly confirmed: number; readonly cloudEpoch: string | undefined; readonly latest: number },
): number | null {
  if (taken === null || epoch !== own.cloudEpoch) return null;
  return taken >= own.confirmed && taken <= own.latest ? taken : null;
}

/** The next message of records waits for a confirmation. */
export function mustWait({ unconfirmed }: ToldChanges): boolean {
  return unconfirmed >= MAX_UNCONFIRMED;
}

export function withSent(told: ToldChanges): ToldChanges {
  return { ...told, unconfirmed: told.unconfirmed + 1 };
}

/** The cloud has all records of this epoch of its own once it has confirmed the number. */
export function withWhole(told: ToldChanges, whole: { readonly to: number; readonly epoch: string }): ToldChanges {
  return { ...told, whole };
}

export function withToldTo(told: ToldChanges, toldTo: number): ToldChanges {
  return { ...told, toldTo };
}

/** `completed`: the epoch of the cloud that has everything now. `note`: the number to note, from time to time. */
export function withAck(
  told: ToldChanges,
  to: number,
  at: Instant,
): { readonly told: ToldChanges; readonly completed: string | undefined; readonly note: number | undefined } {
  const { whole } = told;
  const isComplete = whole !== undefined && to >= whole.to;
  const next = {
    ...told,
    unconfirmed: Math.max(0, told.unconfirmed - 1),
    acked: Math.max(told.acked, to),
    whole: isComplete ? undefined : whole,
  };
  const completed = isComplete ? whole.epoch : undefined;
  if (to <= 0 || at < told.noteAfter) return { told: next, completed, note: undefined };
  return { ...withNoted({ ...next, noteAfter: at + NOTE_EVERY_MS }), completed };
}

/** What is confirmed and not noted yet is to be noted. */
export function withNoted(told: ToldChanges): { readonly told: ToldChanges; readonly note: number | undefined } {
  const { acked, noted } = told;
  return acked > noted ? { told: { ...told, noted: acked }, note: acked } : { told, note: undefined };
}

/** The cloud has stored everything up to this number. Not every change is told, and the last ones may be such. */
export function takenByCloud({ unconfirmed, toldTo, acked }: ToldChanges): number {
  return unconfirmed === 0 ? Math.max(toldTo, acked) : acked;
}
