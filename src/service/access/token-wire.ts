import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { refuse } from "#core/app-error.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { type Instant, renderInstant } from "#core/time/instant.ts";
import type { TokenInput } from "#service/access/create-token.ts";
import { siteLevels } from "#service/access/site-levels-wire.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const LONGEST_LIFETIME = "100y";

export const tokenSchema = strict("Token", {
  id: id("Token identifier."),
  name: Type.String(),
  level: oneOf(ACCESS_LEVELS),
  site_ids: nullable(Type.Array(Type.String(), { description: "The sites it sees; null for all." })),
  created_at: timestamp,
  expires_at: nullable(timestamp),
  last_used_at: nullable(timestamp),
  revoked_at: nullable(timestamp),
  account_id: nullable(
    Type.String({
      description: "The person whose it is: it ends with that person's access. Null: the installation's.",
    }),
  ),
  from_cloud: Type.Boolean({ description: "On a gateway: it was made in the cloud." }),
});

export const ownTokenSchema = described("OwnToken", "What a token may do, as the token itself can read it.", {
  id: id("Token identifier."),
  name: Type.String(),
  level: oneOf(ACCESS_LEVELS),
  site_ids: nullable(Type.Array(Type.String(), { description: "The sites it sees; null for all." })),
  site_levels: siteLevels,
});

export const newTokenSchema = strict("NewToken", {
  name: name("What the token is for."),
  level: oneOf(ACCESS_LEVELS),
  site_ids: Type.Optional(
    Type.Array(id("Site identifier."), {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: "Without it: all sites.",
    }),
  ),
  of_installation: Type.Optional(
    Type.Boolean({
      description: "If a person makes it: it stays when that person goes. Otherwise it is the person's own.",
    }),
  ),
  expires_in: Type.Optional(
    Type.Unsafe<string | number>({
      anyOf: [{ type: "string", maxLength: 50 }, { type: "integer" }],
      description: "How long the token lives: a duration such as 30d, or seconds. Without it: until revoked.",
    }),
  ),
});

export const createdTokenSchema = strict("CreatedToken", {
  id: id("Token identifier."),
  token: Type.String({ description: "The token itself. It is shown this once." }),
});

export function parseNewToken(body: Static<typeof newTokenSchema>): TokenInput {
  return {
    name: body.name,
    level: body.level,
    siteIds: body.site_ids,
    ofInstallation: body.of_installation === true,
    expiresInMs: body.expires_in === undefined ? undefined : parseLifetime(body.expires_in),
  };
}

export function renderToken(token: TokenRecord): Static<typeof tokenSchema> {
  return {
    id: token.id,
    name: token.name,
    level: token.level,
    site_ids: token.sites === "all" ? null : [...token.sites],
    created_at: renderInstant(token.createdAt),
    expires_at: renderOptional(token.expiresAt),
    last_used_at: renderOptional(token.lastUsedAt),
    revoked_at: renderOptional(token.revokedAt),
    account_id: token.accountId ?? null,
    from_cloud: token.fromCloud === true,
  };
}

/** In milliseconds. `longest` is a duration. */
export function parseLifetime(given: string | number, longest = LONGEST_LIFETIME): number {
  const lifetime = typeof given === "number" ? given * 1000 : millisecondsOf(given);
  if (lifetime > 0 && lifetime <= millisecondsOf(longest)) return lifetime;
  const message = `expires_in must be a duration above 0 and up to ${longest}, such as 30d or 12h, or seconds`;
  throw refuse("invalid_body", message, { pointer: "/expires_in" });
}

function millisecondsOf(text: string): number {
  const duration = parseDuration(text);
  return duration === undefined ? 0 : toMilliseconds(duration);
}

function renderOptional(time: Instant | undefined): string | null {
  return time === undefined ? null : renderInstant(time);
}
