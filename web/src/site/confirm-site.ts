// What people are asked about a site that the first start made. Pure, except for the browser's own time zone.
import { isTimezone } from "#core/site/timezone.ts";

/** The zone to begin with: that of the gateway, or of this browser where the gateway knows none. */
export function likelyZone(ofGateway: string, ofBrowser: string | undefined = browserZone()): string {
  const isNobodys = ofGateway === "UTC" || ofGateway === "Etc/UTC";
  return isNobodys && ofBrowser !== undefined && isTimezone(ofBrowser) ? ofBrowser : ofGateway;
}

function browserZone(): string | undefined {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function zoneChoices(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
}

type Problem = "name" | "timezone";

export function problemsOfSite({
  name,
  timezone,
}: {
  readonly name: string;
  readonly timezone: string;
}): readonly Problem[] {
  return [
    ...(name.trim() === "" ? (["name"] as const) : []),
    ...(isTimezone(timezone.trim()) ? [] : (["timezone"] as const)),
  ];
}
