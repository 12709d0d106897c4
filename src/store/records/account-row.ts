import { type Account, LANGUAGES, TIME_FORMATS } from "#core/access/account.ts";
import type { ProviderIdentity } from "#core/access/provider-person.ts";
import type { DamageLog, Row } from "#store/database.ts";
import { readAccess } from "./access-columns.ts";
import { number, oneOf, optionalText, optionalTime, text, time } from "./row.ts";

/** Of the tables account a and token t. The password is not among them. */
export const ACCOUNT_COLUMNS = `a.id, a.mail, a.language, a.time_format, a.suspended_at, a.provider_issuer, a.provider_subject, CASE WHEN a.password IS NULL THEN 0 ELSE 1 END AS has_password,
  CASE WHEN EXISTS (SELECT 1 FROM second_factor f WHERE f.account_id = a.id AND f.confirmed_at IS NOT NULL) THEN 1 ELSE 0 END AS has_second_factor,
  t.name, t.level, t.sites, t.site_levels, t.created_at, t.last_used_at`;

export const ACCOUNTS = "account a JOIN token t ON t.id = a.id";

export function parseAccount(database: DamageLog, row: Row): Account {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    mail: text(row, "mail"),
    ...readAccess({ database, table: "token", row }),
    language: optionalText(row, "language") === undefined ? undefined : oneOf(row, "language", LANGUAGES),
    timeFormat: optionalText(row, "time_format") === undefined ? undefined : oneOf(row, "time_format", TIME_FORMATS),
    hasPassword: number(row, "has_password") === 1,
    hasSecondFactor: number(row, "has_second_factor") === 1,
    provider: readProvider(row),
    createdAt: time(row, "created_at"),
    suspendedAt: optionalTime(row, "suspended_at"),
    lastUsedAt: optionalTime(row, "last_used_at"),
  };
}

function readProvider(row: Row): ProviderIdentity | undefined {
  const [issuer, subject] = [optionalText(row, "provider_issuer"), optionalText(row, "provider_subject")];
  return issuer === undefined || subject === undefined ? undefined : { issuer, subject };
}
