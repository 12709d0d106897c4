import { UsageError } from "#cli/usage-error.ts";
import { parseDuration } from "#core/time/duration.ts";
import { parseInstant } from "#core/time/instant.ts";

/** Unix milliseconds of `now`, `-24h` (before now), `1700000000` (Unix seconds), a day such as 2026-11-14, or RFC 3339. */
export function parseTime(flag: string, text: string, now: number): number {
  if (text === "now") return now;
  if (/^-?\d{1,11}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const ago = parseDuration(text.replace(/^-/, ""));
  if (ago !== undefined) return now - Number(ago / 1_000_000n);
  const moment = parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (moment !== undefined) return moment;
  throw new UsageError(`${flag} must be now, -24h, a day, Unix seconds or RFC 3339, not "${text}"`);
}

/** Round lengths of time for buckets, in milliseconds. */
const STEPS: readonly (readonly [string, number])[] = [
  ["1s", 1],
  ["5s", 5],
  ["10s", 10],
  ["30s", 30],
  ["1m", 60],
  ["5m", 300],
  ["10m", 600],
  ["30m", 1_800],
  ["1h", 3_600],
  ["3h", 10_800],
  ["6h", 21_600],
  ["12h", 43_200],
  ["1d", 86_400],
  ["7d", 604_800],
  ["30d", 2_592_000],
  ["1y", 31_536_000],
];

/** The finest round granularity that gives at most this many buckets. */
export function granularityFor(lengthMs: number, buckets: number): string {
  const found = STEPS.find(([, seconds]) => lengthMs / (seconds * 1000) <= buckets);
  return found?.[0] ?? "1y";
}
