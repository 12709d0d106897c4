import { type Account, LANGUAGES, TIME_FORMATS } from "#core/access/account.ts";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "#core/access/password.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { AccountInput, AskedChange, SiteLevel } from "#service/access/accounts.ts";
import { renderSiteLevels, siteLevels } from "#service/access/site-levels-wire.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

/** As long as an address may be. */
export const MAX_MAIL_LENGTH = 254;

const personName = name("Name of the person.");
const mail = Type.String({
  format: "email",
  maxLength: MAX_MAIL_LENGTH,
  description: "Two people never have the same.",
});
const level = oneOf(ACCESS_LEVELS);
const language = nullable(oneOf(LANGUAGES, { description: "Null: as the browser says." }));
const timeFormat = nullable(oneOf(TIME_FORMATS, { description: "Null: as is usual in the language." }));
const sites = Type.Array(id("Site identifier."), { minItems: 1, maxItems: 1000, uniqueItems: true });
/** The least length is checked with the other rules, in characters and with an explanation. */
export const newPassword = Type.String({
  minLength: 1,
  maxLength: MAX_PASSWORD_LENGTH,
  description: `At least ${MIN_PASSWORD_LENGTH} characters, and none of those that everybody tries first.`,
});

export const accountSchema = described("Account", "A person who can sign in to the page.", {
  id: id("Account identifier. Sessions and the audit log name it as their token."),
  name: Type.String(),
  mail: Type.String(),
  level,
  site_ids: nullable(Type.Array(Type.String(), { description: "The sites that the person sees; null for all." })),
  site_levels: siteLevels,
  language,
  time_format: timeFormat,
  has_password: Type.Boolean({ description: "Without one, nobody can sign in as this person." }),
  has_second_factor: Type.Boolean({ description: "Whether sign-in asks for a code of an app, too." }),
  provider: nullable(
    Type.String({
      description: "The issuer by which alone the person signs in; level and sites follow from the groups there.",
    }),
  ),
  created_at: timestamp,
  suspended_at: nullable(timestamp),
  last_used_at: nullable(timestamp),
});

export const accountAnswer = Type.Object({ account: accountSchema }, { additionalProperties: false });

export const newAccountSchema = strict("NewAccount", {
  name: personName,
  mail,
  level,
  site_ids: Type.Optional({ ...sites, description: "Without it: all sites." }),
  site_levels: Type.Optional({ ...siteLevels, maxItems: 1000 }),
  language: Type.Optional(language),
  time_format: Type.Optional(timeFormat),
  password: Type.Optional(newPassword),
});

export const accountChangeSchema = strict("AccountChange", {
  name: Type.Optional(personName),
  mail: Type.Optional(mail),
  level: Type.Optional(level),
  site_ids: Type.Optional(nullable({ ...sites, description: "Null for all sites." })),
  site_levels: Type.Optional({
    ...siteLevels,
    maxItems: 1000,
    description: "Replaces all of them. `level` without it ends them: the person has one level everywhere.",
  }),
  language: Type.Optional(language),
  time_format: Type.Optional(timeFormat),
  password: Type.Optional({ ...newPassword, description: "Ends all sessions of the person." }),
  suspended: Type.Optional(
    Type.Boolean({
      description:
        "True ends all sessions of the person and revokes the person's tokens. False lets the person sign in again.",
    }),
  ),
});

export const ownAccountChangeSchema = strict("OwnAccountChange", {
  name: Type.Optional(personName),
  language: Type.Optional(language),
  time_format: Type.Optional(timeFormat),
});

export const signInEntrySchema = strict("SignInEntry", {
  at: timestamp,
  by: Type.String({ description: "How the person proved who it is, such as password." }),
  from: Type.String({ description: "The address that signed in." }),
  new_place: Type.Boolean({
    description: "The person had signed in before, and not from there in the last half year.",
  }),
  session_id: nullable(Type.String({ description: "The session that began; it may have ended." })),
});

export function renderSignIn({ at, remoteAddress, details }: AuditEntry): Static<typeof signInEntrySchema> {
  const { by, session_id, new_place } = details;
  return {
    at: renderInstant(at),
    by: typeof by === "string" ? by : "",
    from: remoteAddress,
    new_place: new_place === true,
    session_id: typeof session_id === "string" ? session_id : null,
  };
}

export function parseOwnChange(
  body: Static<typeof ownAccountChangeSchema>,
): Pick<AskedChange, "name" | "language" | "timeFormat"> {
  return parseAccountChange(body);
}

export function parseNewAccount(body: Static<typeof newAccountSchema>): AccountInput {
  return {
    name: body.name,
    mail: body.mail,
    level: body.level,
    siteIds: body.site_ids,
    siteLevels: body.site_levels?.map(parseSiteLevel),
    language: body.language ?? undefined,
    timeFormat: body.time_format ?? undefined,
    password: body.password,
  };
}

export function parseAccountChange(body: Static<typeof accountChangeSchema>): AskedChange {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.mail !== undefined && { mail: body.mail }),
    ...(body.level !== undefined && { level: body.level }),
    ...(body.site_ids !== undefined && { siteIds: body.site_ids }),
    ...(body.site_levels !== undefined && { siteLevels: body.site_levels.map(parseSiteLevel) }),
    ...(body.language !== undefined && { language: body.language ?? undefined }),
    ...(body.time_format !== undefined && { timeFormat: body.time_format ?? undefined }),
    ...(body.password !== undefined && { password: body.password }),
    ...(body.suspended !== undefined && { isSuspended: body.suspended }),
  };
}

const parseSiteLevel = ({ site_id, level }: Static<typeof siteLevels>[number]): SiteLevel => ({
  siteId: site_id,
  level,
});

export function renderAccount(account: Account): Static<typeof accountSchema> {
  return {
    id: account.id,
    name: account.name,
    mail: account.mail,
    level: account.level,
    site_ids: account.sites === "all" ? null : [...account.sites],
    site_levels: renderSiteLevels(account),
    language: account.language ?? null,
    time_format: account.timeFormat ?? null,
    has_password: account.hasPassword,
    has_second_factor: account.hasSecondFactor,
    provider: account.provider?.issuer ?? null,
    created_at: renderInstant(account.createdAt),
    suspended_at: account.suspendedAt === undefined ? null : renderInstant(account.suspendedAt),
    last_used_at: account.lastUsedAt === undefined ? null : renderInstant(account.lastUsedAt),
  };
}
