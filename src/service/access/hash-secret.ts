import { hash, pbkdf2Sync, timingSafeEqual } from "node:crypto";

/** SHA-256 is enough: the hashed secrets have 256 random bits, so a slow hash would protect nothing more. */
export function hashSecret(text: string): Uint8Array {
  return hash("sha256", text, "buffer");
}

/** The same hash as a lookup key. Nobody can choose it, so the time of a lookup reveals nothing about the secret. */
export const secretKey = (text: string): string => hash("sha256", text, "base64");

/** The lookup key of a hash that is already known. */
export const hashKey = (hashed: Uint8Array): string => Buffer.from(hashed).toString("base64");

/**
 * A device has one of the two. They are kept apart, so that a certificate's fingerprint is never accepted as a
 * password.
 */
export const hashPassword = (text: string): Uint8Array => hashSecret(`password:${text}`);
export const hashFingerprint = (text: string): Uint8Array => hashSecret(`certificate:${text}`);

const BROKER_ITERATIONS = 1000;
const BROKER_HASH_BYTES = 64;
export const BROKER_SALT_BYTES = 12;

/** A password as mosquitto_passwd writes it. */
export function hashForBroker(secret: string, salt: Uint8Array): string {
  const hashed = pbkdf2Sync(secret, salt, BROKER_ITERATIONS, BROKER_HASH_BYTES, "sha512");
  return `$7$${BROKER_ITERATIONS}$${Buffer.from(salt).toString("base64")}$${hashed.toString("base64")}`;
}

/** Takes the same time wherever the two differ. */
export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
