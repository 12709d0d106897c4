import type { Access } from "#core/access/caller.ts";
import type { ProviderIdentity } from "#core/access/provider-person.ts";
import type { Instant } from "#core/time/instant.ts";

export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

export const TIME_FORMATS = ["24h", "12h"] as const;
export type TimeFormat = (typeof TIME_FORMATS)[number];

export const MAX_ACCOUNTS = 10_000;

/**
 * A person. Name, level, sites and last use are those of a token of the same id, whose text nobody has: sessions stand for
 * it, and whatever holds for a token holds for a person.
 */
export interface Account extends Access {
  readonly id: string;
  readonly name: string;
  readonly mail: string;
  /** Undefined: as the browser says. */
  readonly language: Language | undefined;
  readonly timeFormat: TimeFormat | undefined;
  /** Without one nobody can sign in as this person. */
  readonly hasPassword: boolean;
  /** Whether sign-in asks for a code of an app, too. */
  readonly hasSecondFactor: boolean;
  /** Who the person is at the OpenID provider that alone signs it in. Undefined: it signs in here. */
  readonly provider: ProviderIdentity | undefined;
  readonly createdAt: Instant;
  readonly suspendedAt: Instant | undefined;
  readonly lastUsedAt: Instant | undefined;
}

/** Two mail addresses with the same key are one: people write the same address in several ways. */
export function mailKey(mail: string): string {
  return mail.trim().normalize("NFC").toLowerCase();
}
