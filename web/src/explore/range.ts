// Ranges of time: how they are written in an address, what they mean now, and how they move.
import { startOfDay } from "#web/i18n/format.ts";

/** Unix milliseconds; `to` is not part of it. */
export type Range = { readonly from: number; readonly to: number };

type Parsed =
  | { readonly kind: "last"; readonly ms: number }
  | { readonly kind: "today" | "yesterday" }
  | ({ readonly kind: "between" } & Range);

export const PRESETS = ["1h", "24h", "7d", "30d", "today", "yesterday"] as const;

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const HOUR = 3_600_000;
/** Nobody can look closer. */
const SHORTEST = 1_000;
const LONGEST = 20 * 365 * 86_400_000;

/** `24h` is the last 24 hours; `today`; `2026-11-14T00:00:00Z/2026-11-15T00:00:00Z`. Undefined when it is none. */
export function parseRange(text: string): Parsed | undefined {
  if (text === "today" || text === "yesterday") return { kind: text };
  const last = /^(\d{1,5})([smhdw])$/.exec(text);
  if (last !== null) {
    const ms = Number(last[1]) * (UNITS[last[2] ?? ""] ?? 0);
    return ms >= SHORTEST && ms <= LONGEST ? { kind: "last", ms } : undefined;
  }
  const [from = Number.NaN, to = Number.NaN, ...rest] = text.split("/").map((moment) => Date.parse(moment));
  const isRange = rest.length === 0 && to - from >= SHORTEST && to - from <= LONGEST;
  return isRange ? { kind: "between", from, to } : undefined;
}

/** Whether the range moves on with the clock. */
export function isMoving(text: string): boolean {
  const kind = parseRange(text)?.kind;
  return kind === "last" || kind === "today";
}

export function resolveRange(text: string, now: number, zone: string): Range {
  const parsed = parseRange(text) ?? { kind: "last", ms: 24 * HOUR };
  if (parsed.kind === "between") return { from: parsed.from, to: parsed.to };
  if (parsed.kind === "last") return { from: now - parsed.ms, to: now };
  const today = startOfDay(now, zone);
  // A day has 23 to 25 hours: 36 hours after its beginning is the next one, 12 hours before it the one before.
  if (parsed.kind === "today") return { from: today, to: startOfDay(today + 36 * HOUR, zone) };
  return { from: startOfDay(today - 12 * HOUR, zone), to: today };
}

/** How many milliseconds the period before began earlier: a whole number of buckets, or a day by the clock. */
export function previousShift(text: string, { from, to }: Range, bucketMs: number, zone: string): number {
  const kind = parseRange(text)?.kind;
  if (kind === "today" || kind === "yesterday") return from - startOfDay(from - 12 * HOUR, zone);
  return Math.ceil((to - from) / bucketMs) * bucketMs;
}

export function renderRange({ from, to }: Range): string {
  return `${moment(from)}/${moment(to)}`;
}

const moment = (at: number) => new Date(Math.round(at)).toISOString().replace(".000Z", "Z");

/** Moves by a part of its length: 0.5 is half of it later. */
export function moveRange({ from, to }: Range, part: number): Range {
  const by = (to - from) * part;
  return { from: from + by, to: to + by };
}

/** `factor` 2 shows twice as much around the same middle, or around `middle`. */
export function zoomRange({ from, to }: Range, factor: number, middle: number = (from + to) / 2): Range {
  const length = Math.min(Math.max((to - from) * factor, SHORTEST), LONGEST);
  const share = (middle - from) / (to - from);
  return { from: middle - length * share, to: middle + length * (1 - share) };
}
