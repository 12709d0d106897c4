/** Lets through `burst` at once and `perSecond` after that. Times in milliseconds. */
export interface TokenBucket {
  take(now: number): boolean;
}

export function createTokenBucket(perSecond: number, burst: number): TokenBucket {
  let tokens = burst;
  let filledAt = Number.NEGATIVE_INFINITY;
  return {
    take(now) {
      if (filledAt !== Number.NEGATIVE_INFINITY)
        tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000);
      filledAt = now;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
