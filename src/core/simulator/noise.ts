// Repeatable random numbers: the same seed and place always give the same number, in any order and at any time.

/** 32 bits that stand for the text under this seed. */
export function seedOf(seed: number, text: string): number {
  let mixed = (seed ^ 0x811c9dc5) | 0;
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  return scramble(mixed);
}

/** Evenly spread over [0, 1). */
export function shareAt(seed: number, place: number): number {
  return scramble(seed ^ Math.imul(place | 0, 0x9e3779b1)) / 2 ** 32;
}

/** A smooth curve through [-1, 1] that turns about once per unit of `x`. */
export function noiseAt(seed: number, x: number): number {
  const place = Math.floor(x);
  const part = x - place;
  const [left, right] = [shareAt(seed, place), shareAt(seed, place + 1)];
  return 2 * (left + (right - left) * part * part * (3 - 2 * part)) - 1;
}

/** One of the items; there is at least one. */
export function pickAt<Item>(items: readonly [Item, ...Item[]], share: number): Item {
  return items[Math.floor(share * items.length)] ?? items[0];
}

/** The last step of a good hash: every bit of the answer depends on every bit given. */
function scramble(bits: number): number {
  let mixed = bits ^ (bits >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
