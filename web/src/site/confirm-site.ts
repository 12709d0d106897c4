// What people are asked about a site. Pure, except for the browser's own time zone.
import type { Site } from "#client/resources.ts";
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

/** As it is typed. */
export type SiteDraft = {
  readonly name: string;
  readonly timezone: string;
  readonly place: string;
  readonly latitude: string;
  readonly longitude: string;
};
export type SiteProblem = "name" | "timezone" | "latitude" | "longitude";

const MOST = { latitude: 90, longitude: 180 } as const;
/** Of a degree: about a metre. */
const DIGITS = 5;

/** With a point or a comma. NaN for what is no such number. */
function degreesOf(text: string, what: keyof typeof MOST): number {
  const number = /^[+-]?\d+(?:[.,]\d+)?$/.test(text.trim()) ? Number(text.trim().replace(",", ".")) : Number.NaN;
  return Math.abs(number) <= MOST[what] ? number : Number.NaN;
}

/** One of the two alone is no place. */
export function problemsOfSite({ name, timezone, latitude, longitude }: SiteDraft): readonly SiteProblem[] {
  const hasPlace = (latitude + longitude).trim() !== "";
  return [
    ...(name.trim() === "" ? (["name"] as const) : []),
    ...(isTimezone(timezone.trim()) ? [] : (["timezone"] as const)),
    ...(hasPlace && Number.isNaN(degreesOf(latitude, "latitude")) ? (["latitude"] as const) : []),
    ...(hasPlace && Number.isNaN(degreesOf(longitude, "longitude")) ? (["longitude"] as const) : []),
  ];
}

export function draftOfSite({ name, timezone, location }: Pick<Site, "name" | "timezone" | "location">): SiteDraft {
  const text = (degrees: number | undefined) => (degrees === undefined ? "" : String(degrees));
  const [latitude, longitude] = [text(location?.latitude), text(location?.longitude)];
  return { name, timezone, place: location?.name ?? "", latitude, longitude };
}

/** What a device measured, as it would be typed. */
export function typedPlace({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }) {
  return { latitude: latitude.toFixed(DIGITS), longitude: longitude.toFixed(DIGITS) };
}

/** A draft without problems, as the interface takes it. A place without a name has that of the site; an empty one is removed. */
export function changeOfSite(draft: SiteDraft, hadLocation: boolean) {
  const [name, place] = [draft.name.trim(), draft.place.trim()];
  const hasDegrees = draft.latitude.trim() !== "";
  const degrees = hasDegrees && {
    latitude: degreesOf(draft.latitude, "latitude"),
    longitude: degreesOf(draft.longitude, "longitude"),
  };
  const location = place === "" && !hasDegrees ? undefined : { name: place || name, ...degrees };
  return {
    name,
    timezone: draft.timezone.trim(),
    ...(location !== undefined && { location }),
    ...(location === undefined && hadLocation && { clear: ["location" as const] }),
  };
}
