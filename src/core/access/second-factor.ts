// The second factor of a person: codes of an app (RFC 6238), and codes on paper for when the app is gone.
import { base32 } from "#core/text/base32.ts";
import type { Instant } from "#core/time/instant.ts";

/** What every app takes: others are ignored by some. */
export const CODE_DIGITS = 6;
const STEP_MS = 30_000;
/** Steps before and after the present one whose codes are accepted: clocks differ, and people type slowly. */
const WINDOW = 1;

/** As long as the hash that is used, as RFC 4226 recommends. */
export const FACTOR_SECRET_BYTES = 20;

export const RECOVERY_CODES = 10;
/** 80 bits each: too many to guess, also for somebody who has read their hashes. */
export const RECOVERY_CODE_BYTES = 10;

/** Longer texts are refused before anything is looked up. */
export const MAX_CODE_LENGTH = 40;

/** The time steps whose codes are accepted now, the latest first. */
export function stepsAround(now: Instant): readonly number[] {
  const present = Math.floor(now / STEP_MS);
  return Array.from({ length: 2 * WINDOW + 1 }, (_, index) => present + WINDOW - index);
}

export type GivenCode =
  | { readonly kind: "app"; readonly code: string }
  /** In the spelling that is hashed. */
  | { readonly kind: "recovery"; readonly code: string };

/** What somebody typed, with or without blanks and hyphens; undefined when it cannot be a code. */
export function parseGivenCode(text: string): GivenCode | undefined {
  const code = text.replaceAll(/[\s-]/g, "").toUpperCase();
  if (/^\d{6}$/.test(code)) return { kind: "app", code };
  return /^[A-Z2-7]{16}$/.test(code) ? { kind: "recovery", code } : undefined;
}

/** As a person reads it from paper. */
export function formatRecoveryCode(bytes: Uint8Array): string {
  return (base32(bytes).match(/.{4}/g) ?? []).join("-");
}

/** The text of the QR code that an app reads. Names that are too long for it are cut. */
export function factorUri(
  secret: string,
  { issuer, mail }: { readonly issuer: string; readonly mail: string },
): string {
  const name = encodeURIComponent(mail.slice(0, 80));
  const from = encodeURIComponent(issuer);
  return `otpauth://totp/${from}:${name}?secret=${secret}&issuer=${from}&algorithm=SHA1&digits=${CODE_DIGITS}&period=${STEP_MS / 1000}`;
}
