// Repeatable random numbers: they depend on nothing but their arguments.

/** In [0, 1). Only the whole part of `n` counts. */
export function chance(seed: number, n: number): number {
  let mixed = Math.imul(Math.floor(n) ^ Math.imul(seed, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x27d4eb2f);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
}

/** In [0, 1), continuous in `x`, with a new turn at each whole `x`. */
export function drift(seed: number, x: number): number {
  const whole = Math.floor(x);
  const part = x - whole;
  const eased = part * part * (3 - 2 * part);
  const from = chance(seed, whole);
  return from + (chance(seed, whole + 1) - from) * eased;
}

/** Between `low` and `high`. */
export function between(low: number, high: number, share: number): number {
  return low + (high - low) * share;
}

export function clamp(value: number, low: number, high: number): number {
  // Never -0.
  return Math.min(high, Math.max(low, value)) + 0;
}
