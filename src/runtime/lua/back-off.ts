const FIRST_MS = 5_000;
const LONGEST_MS = 600_000;
/** A device that ran this long without failing has recovered: its back-off starts over. */
const FORGIVEN_AFTER_MS = 600_000;

/** Counts failures in a row. After each one the device waits twice as long as before: 5 s at first, 10 minutes at most. */
export interface BackOff {
  readonly strikes: number;
}

export const NO_BACK_OFF: BackOff = { strikes: 0 };

export function afterFailure(before: BackOff, ranMs: number): BackOff & { readonly delayMs: number } {
  const strikes = ranMs >= FORGIVEN_AFTER_MS ? 1 : before.strikes + 1;
  return { strikes, delayMs: Math.min(LONGEST_MS, FIRST_MS * 2 ** (strikes - 1)) };
}
