// A program in a terminal signs in by the browser of a person, in the shape of RFC 8628: it shows a short code, the person types the
// code into the page and says what the program may do, and meanwhile the program asks again and again with a code of its own.
import type { SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { Instant } from "#core/time/instant.ts";

export const TERMINAL_SIGN_IN_LIFETIME_MS = 600_000;
/** How long a program waits between two questions. */
export const POLL_INTERVAL_S = 5;
/** Open ones of one address, and of all together. */
export const MAX_OPEN_OF_ADDRESS = 10;
export const MAX_OPEN_SIGN_INS = 500;
export const MAX_PROGRAM_LENGTH = 100;

/** Without vowels, so that no words come up, and without what looks alike. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;
/** Bytes from here on would make some letters more likely. */
const FAIR = 256 - (256 % LETTERS.length);

/** What waits for a person. The codes themselves are stored nowhere. */
export interface TerminalSignIn {
  /** Lookup keys of the hashes of both codes. */
  readonly programKey: string;
  readonly userKey: string;
  /** What the program says that it is. */
  readonly program: string;
  /** The highest level that it asks for; undefined: whatever the person gives. */
  readonly askedLevel: AccessLevel | undefined;
  /** From where it asked. */
  readonly remoteAddress: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly decision: Decision | undefined;
}

export type Decision = { readonly kind: "denied" } | ({ readonly kind: "approved" } & Approval);

/** What the person gives. */
export interface Approval {
  /** The access of the person or the token whose session approved. */
  readonly tokenId: string;
  readonly name: string;
  readonly level: AccessLevel;
  readonly sites: SiteScope;
  readonly lifetimeMs: number;
}

/** Eight letters from random bytes; undefined if too many of these had to be thrown away. */
export function userCodeOf(random: Uint8Array): string | undefined {
  const fair = [...random].filter((byte) => byte < FAIR).slice(0, LENGTH);
  if (fair.length < LENGTH) return undefined;
  return fair.map((byte) => LETTERS.charAt(byte % LETTERS.length)).join("");
}

/** As people read it: BCDF-GHJK. */
export const showUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** As it is looked up, however somebody types it; undefined for what is no code. */
export function readUserCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, "");
  return letters.length === LENGTH && [...letters].every((letter) => LETTERS.includes(letter)) ? letters : undefined;
}
