// Where the prices of a site come from: an HTTP address that answers JSON, and where the prices are in it.
import { NO_TIME, parseDuration, toMilliseconds } from "#core/time/duration.ts";
import type { Instant } from "#core/time/instant.ts";
import type { PriceKind } from "./price-days.ts";

export const TIME_FORMATS = ["rfc3339", "s", "ms"] as const;
export const RESOLUTIONS = ["15m", "1h"] as const;

export const LONGEST_SOURCE_URL = 2_000;
export const LONGEST_PRICE_PATH = 300;
export const LONGEST_HEADER_NAME = 100;
export const LONGEST_HEADER_VALUE = 4_000;
export const LARGEST_SCALE = 1_000_000;
export const LONGEST_EVERY = 20;
const SHORTEST_PAUSE_MS = 15 * 60_000;
const LONGEST_PAUSE_MS = 7 * 86_400_000;

/** As people write it, with the defaults filled in. */
export interface PriceSource {
  /** May contain {today} and {tomorrow}: dates of the site's calendar. */
  readonly url: string;
  /** The name of a header that is sent along. Its value is kept apart, encrypted. */
  readonly header: string | undefined;
  /** Paths of the JSON answer, in which * stands for each row. */
  readonly time: string;
  readonly price: string;
  readonly timeFormat: (typeof TIME_FORMATS)[number];
  /** How long each price holds. */
  readonly resolution: (typeof RESOLUTIONS)[number];
  /** Multiplied with each price: 0.001 for prices of a megawatt-hour. */
  readonly scale: number;
  /** How often it is fetched, such as 1h. */
  readonly every: string;
}

/** How fetching goes. */
export interface FetchState {
  readonly nextAt: Instant;
  /** In a row. */
  readonly failures: number;
  readonly succeededAt: Instant | undefined;
  /** Prices in the last good answer. */
  readonly rows: number | undefined;
  readonly failedAt: Instant | undefined;
  /** Why the last attempt failed that did. */
  readonly error: string | undefined;
}

export interface PriceSourceRecord {
  readonly siteId: string;
  readonly kind: PriceKind;
  readonly source: PriceSource;
  readonly sealedHeader: Uint8Array | undefined;
  readonly updatedAt: Instant;
  readonly state: FetchState;
}

const DATES = /\{(today|tomorrow)\}/g;

/** The address of a fetch. */
export function addressOf(url: string, dates: { readonly today: string; readonly tomorrow: string }): string {
  return url.replace(DATES, (_, name: "today" | "tomorrow") => dates[name]);
}

/** Undefined for a path that cannot be one. */
export function parsePricePath(path: string): readonly string[] | undefined {
  const [first, ...keys] = path.split("/");
  if (first !== "" || keys.filter((key) => key === "*").length !== 1) return undefined;
  return keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Undefined for a pause that is too short, too long or none. */
export function fetchPauseMs(every: string): number | undefined {
  const pause = toMilliseconds(parseDuration(every) ?? NO_TIME);
  return pause >= SHORTEST_PAUSE_MS && pause <= LONGEST_PAUSE_MS ? pause : undefined;
}

/** What is stored or came over a link. */
export function isPriceSource(value: unknown): value is PriceSource {
  if (typeof value !== "object" || value === null) return false;
  const { url, header, time, price, timeFormat, resolution, scale, every } = value as {
    [Name in keyof PriceSource]?: unknown;
  };
  return (
    isShort(url, LONGEST_SOURCE_URL) &&
    (header === undefined || isShort(header, LONGEST_HEADER_NAME)) &&
    [time, price].every((path) => isShort(path, LONGEST_PRICE_PATH) && parsePricePath(path) !== undefined) &&
    TIME_FORMATS.some((one) => one === timeFormat) &&
    RESOLUTIONS.some((one) => one === resolution) &&
    typeof scale === "number" &&
    Math.abs(scale) <= LARGEST_SCALE &&
    isShort(every, LONGEST_EVERY) &&
    fetchPauseMs(every) !== undefined
  );
}

function isShort(value: unknown, longest: number): value is string {
  return typeof value === "string" && value.length <= longest;
}
