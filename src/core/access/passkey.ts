import type { Instant } from "#core/time/instant.ts";

export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME = 100;

/** A key pair of a person, whose private half never leaves a phone, a computer or a security key. */
export interface Passkey {
  /** Chosen by the device that has it; base64url. */
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The host name that it is for: browsers offer it nowhere else. */
  readonly host: string;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  /** How often it was used, as it says itself; 0 of devices that do not count. */
  readonly useCount: number;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | undefined;
}

/** Passkeys are for a name, and `localhost` is one: browsers refuse them at an address of digits. */
export function isPasskeyHost(host: string): boolean {
  return /[a-z]/i.test(host.split(".").at(-1) ?? "") && !host.includes(":");
}
