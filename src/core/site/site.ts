import type { Instant } from "#core/time/instant.ts";

export interface Location {
  readonly name: string;
  readonly latitude?: number;
  readonly longitude?: number;
}

export interface Site {
  readonly id: string;
  readonly name: string;
  /** IANA name, such as Europe/Berlin. */
  readonly timezone: string;
  /** Nobody has said yet that it is the right one: it is that of the machine, or UTC because none was given. */
  readonly timezoneAssumed?: true;
  readonly location?: Location;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A change that gives a time zone, even the same one, confirms it. */
export interface SiteChange extends Partial<Pick<Site, "name" | "timezone">> {
  /** Given as undefined: the site has none from then on. */
  readonly location?: Location | undefined;
}
