import type { Instant } from "#core/time/instant.ts";

export interface TokenBucket {
  /** Takes tokens, going into debt if necessary. Returns how many milliseconds to wait before going on. */
  take(tokens: number): number;
}

/** Holds at most two seconds' worth of tokens, so that a device may be quiet and then catch up. */
export function createTokenBucket(perSecond: number, now: () => Instant): TokenBucket {
  const capacity = perSecond * 2;
  let level = capacity;
  let filledAt = now();
  return {
    take(tokens) {
      const at = now();
      // Setting the clock back neither adds nor removes tokens.
      level = Math.min(capacity, level + (Math.max(0, at - filledAt) / 1000) * perSecond) - tokens;
      filledAt = at;
      return level >= 0 ? 0 : Math.ceil((-level / perSecond) * 1000);
    },
  };
}
