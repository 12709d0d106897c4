// Answers to sign-ins come at a pace. A sign-in takes the main thread as long as some twenty messages, and nothing else
// bounds how many one device, or one address that is refused, can make.

export interface SignInPace {
  /** Milliseconds to wait before the answer; undefined when too many of the key wait already. */
  wait(key: string): number | undefined;
}

/** So many seconds' worth of sign-ins are answered at once, and those of so many more may wait. */
const BURST_S = 2;
const PATIENCE_S = 5;
/** Keys that are remembered; beyond it, those that have waited long enough are forgotten, and then all. */
const MAX_KEYS = 10_000;

/** `elapsed` gives milliseconds on a monotonic clock. */
export function createSignInPace(perSecond: number, elapsed: () => number): SignInPace {
  const intervalMs = 1_000 / perSecond;
  /** By key: the time by which everything that it was granted would be due without a burst. */
  const due = new Map<string, number>();

  function forgetIdle(now: number): void {
    for (const [key, at] of due) if (at <= now) due.delete(key);
    if (due.size > MAX_KEYS) due.clear();
  }

  return {
    wait(key) {
      const now = elapsed();
      const at = Math.max(now, due.get(key) ?? now) + intervalMs;
      const waitMs = at - now - BURST_S * 1_000;
      if (waitMs > PATIENCE_S * 1_000) return undefined;
      due.set(key, at);
      if (due.size > MAX_KEYS) forgetIdle(now);
      return Math.max(0, waitMs);
    },
  };
}
