import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { instant, parseInstant, renderInstant } from "#core/time/instant.ts";
import { UsageError } from "./usage-error.ts";

/** A moment as RFC 3339, from RFC 3339 or from a length of time before now: `-1h`, `90m`. Undefined stays undefined. */
export function parseMoment(flag: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const ago = parseDuration(text.replace(/^-/, ""));
  const moment = ago === undefined ? parseInstant(text) : instant(now - toMilliseconds(ago));
  if (moment !== undefined) return renderInstant(moment);
  throw new UsageError(`${flag} must be a time such as 2026-11-14T12:00:00Z, or -1h for an hour ago, not "${text}"`);
}
