import { hash, timingSafeEqual } from "node:crypto";

/** SHA-256 is enough: what is hashed here has 256 random bits, so there is nothing to guess faster. */
export function hashSecret(text: string): Uint8Array {
  return hash("sha256", text, "buffer");
}

/** The same as a key to look it up by. Nobody can steer it, so how long a look-up takes tells nothing about what is looked up. */
export const secretKey = (text: string): string => hash("sha256", text, "base64");

/** That key of a hash that is known already. */
export const hashKey = (hashed: Uint8Array): string => Buffer.from(hashed).toString("base64");

/** A device has one of the two; apart from each other, so that a certificate's fingerprint is never taken as a password. */
export const hashPassword = (text: string): Uint8Array => hashSecret(`password:${text}`);
export const hashFingerprint = (text: string): Uint8Array => hashSecret(`certificate:${text}`);

/** Takes the same time wherever the two differ. */
export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
