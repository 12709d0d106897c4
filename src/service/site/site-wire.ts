import { type Caller, levelAt } from "#core/access/caller.ts";
import { refuse } from "#core/app-error.ts";
import type { Location, Site, SiteChange } from "#core/site/site.ts";
import { isTimezone } from "#core/site/timezone.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { id, name, oneOf, ROLES, renderRole, strict, timestamp } from "#service/operation/wire.ts";
import type { SiteInput } from "#service/site/create-site.ts";

const location = strict("Location", {
  name: name("What people call the place."),
  latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
});
const timezone = Type.String({ minLength: 1, maxLength: 100, description: "IANA name, such as Europe/Berlin." });

export const siteSchema = strict("Site", {
  id: id("Site identifier."),
  name: Type.String(),
  timezone,
  timezone_assumed: Type.Optional(
    Type.Boolean({
      description:
        "True while nobody has said that the time zone is right: the first start took that of the machine, or none was given. " +
        "A change that gives the time zone, even the same one, ends it.",
    }),
  ),
  version: oneOf(["V3"]),
  authorized_role: oneOf(ROLES, { description: "What the calling token may do on this site." }),
  location: Type.Optional(location),
  created_at: timestamp,
  updated_at: timestamp,
});

export const newSiteSchema = strict("NewSite", {
  name: name("Name of the site."),
  timezone: Type.Optional(timezone),
  location: Type.Optional(location),
});

export const siteChangeSchema = strict("SiteChange", {
  name: Type.Optional(name("Name of the site.")),
  timezone: Type.Optional(timezone),
  location: Type.Optional(location),
  clear: Type.Optional(
    Type.Array(oneOf(["location"]), {
      maxItems: 1,
      description:
        "What the site shall no longer have. A location of null leaves it as it is: some clients send it so.",
    }),
  ),
});

export function parseNewSite(body: Static<typeof newSiteSchema>): SiteInput {
  return {
    name: body.name,
    timezone: parseTimezone(body.timezone) ?? "UTC",
    timezoneAssumed: body.timezone === undefined,
    location: body.location && parseLocation(body.location),
  };
}

export function parseSiteChange(body: Static<typeof siteChangeSchema>): SiteChange {
  const timezone = parseTimezone(body.timezone);
  const isCleared = body.clear?.includes("location") === true;
  if (isCleared && body.location !== undefined) {
    throw refuse("invalid_body", "either set location or clear it, not both", { pointer: "/clear" });
  }
  return {
    ...(isCleared && { location: undefined }),
    ...(body.name !== undefined && { name: body.name }),
    ...(timezone !== undefined && { timezone }),
    ...(body.location !== undefined && { location: parseLocation(body.location) }),
  };
}

export function renderSite(site: Site, caller: Caller): Static<typeof siteSchema> {
  return {
    id: site.id,
    name: site.name,
    timezone: site.timezone,
    ...(site.timezoneAssumed === true && { timezone_assumed: true }),
    version: "V3",
    authorized_role: renderRole(levelAt(caller, site.id)),
    ...(site.location !== undefined && { location: site.location }),
    created_at: renderInstant(site.createdAt),
    updated_at: renderInstant(site.updatedAt),
  };
}

function parseTimezone(text: string | undefined): string | undefined {
  if (text === undefined || isTimezone(text)) return text;
  throw refuse(
    "invalid_body",
    `there is no time zone ${JSON.stringify(text)}; use an IANA name such as Europe/Berlin`,
    {
      pointer: "/timezone",
    },
  );
}

function parseLocation(given: Static<typeof location>): Location {
  return {
    name: given.name,
    ...(given.latitude !== undefined && { latitude: given.latitude }),
    ...(given.longitude !== undefined && { longitude: given.longitude }),
  };
}
