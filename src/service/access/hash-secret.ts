import { hash, timingSafeEqual } from "node:crypto";

/** SHA-256 is enough: what is hashed here has 256 random bits, so there is nothing to guess faster. */
export function hashSecret(text: string): Uint8Array {
  return hash("sha256", text, "buffer");
}

/** Takes the same time wherever the two differ. */
export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
