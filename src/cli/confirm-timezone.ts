import type { Site } from "#client/resources.ts";

/** The command that says in which time zone a site is; confirms the present one, unless that is nobody's choice. */
export function confirmTimezoneCommand({ name, timezone }: Pick<Site, "name" | "timezone">): string {
  const zone = timezone === "UTC" ? "Europe/Berlin" : timezone;
  return `busbar site update ${JSON.stringify(name)} --timezone ${zone}`;
}
