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
  readonly location?: Location;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface SiteChange extends Partial<Pick<Site, "name" | "timezone">> {
  /** Given as undefined: the site has none from then on. */
  readonly location?: Location | undefined;
}
