/** Lets through `burst` at once and `perSecond` after that. Times in milliseconds. */
export interface TokenBucket {
  /** What costs more than `burst` is never let through. */
  take(now: number, cost?: number): boolean;
}

export function createTokenBucket(perSecond: number, burst: number): TokenBucket {
  let tokens = burst;
  let filledAt = Number.NEGATIVE_INFINITY;
  return {
    take(now, cost = 1) {
      if (filledAt !== Number.NEGATIVE_INFINITY)
        tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000);
      filledAt = now;
      if (tokens < cost) return false;
      tokens -= cost;
      return true;
    },
  };
}
