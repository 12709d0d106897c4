// The summaries of the days of one series in a stretch of 32 days, joined: a year by the day reads 12 pieces instead of 365, and a year
// by the hour reads hours only, where each day has the summaries of its minutes beside them. They are made of stored days when there
// is nothing else to do, and count only as long as no chunk of the stretch comes or goes.
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import type { ChunkHead } from "./chunk.ts";
import type { Column } from "./column.ts";
import { HELD_FIELDS, type HeldParts, heldParts, isHoldable } from "./held-parts.ts";
import { encodeLevel, FIELDS, PLAIN, type PlainField, WITH_HELD } from "./part-levels.ts";
import { allHours, createParts, type Parts, readHeld } from "./parts.ts";
import { foldParts } from "./summarize.ts";

export interface JoinedDays {
  readonly days: Uint8Array;
  /** Empty where there are too few points for the room that hours would take. */
  readonly hours: Uint8Array;
}

/** A stored day of numbers. */
export interface StoredDay {
  readonly head: ChunkHead;
  readonly parts: Uint8Array;
  column(): Column;
}

/** A part with fewer points would cost more room than it saves time. */
const LEAST_POINTS = 30;
/** The same for what integrals need. */
const LEAST_HELD_POINTS = 300;
const LEAST_DAYS = 2;

/** Undefined where it would not pay off, or where a sum is beyond the range of a double. */
export function joinDays(start: number, days: readonly StoredDay[]): JoinedDays | undefined {
  const heads = days.map(({ head }) => head);
  const points = heads.reduce((sum, { summary }) => sum + summary.count, 0);
  const isDay = ({ span, summary }: ChunkHead) => span === DAY_MS && Number.isFinite(summary.sum.high);
  if (days.length < LEAST_DAYS || points < LEAST_POINTS * days.length || !heads.every(isDay)) return undefined;
  const parts = partsOfDays(heads);
  return {
    days: encodeLevel({ format: PLAIN, parts, count: days.length, start, grain: DAY_MS }),
    hours: encodeHours(start, days, points / days.length / 24) ?? new Uint8Array(0),
  };
}

function partsOfDays(heads: readonly ChunkHead[]): Parts {
  const parts = createParts(heads.length);
  for (const [day, { start, summary }] of heads.entries()) {
    parts.start[day] = start;
    parts.count[day] = summary.count;
    parts.sum[day] = summary.sum.high;
    parts.rest[day] = summary.sum.low;
    parts.min[day] = summary.min;
    parts.max[day] = summary.max;
    parts.first[day] = Number(summary.first);
    parts.last[day] = Number(summary.last);
  }
  return parts;
}

function encodeHours(start: number, days: readonly StoredDay[], pointsPerHour: number): Uint8Array | undefined {
  if (pointsPerHour < LEAST_POINTS) return undefined;
  const all: Parts[] = [];
  const held: HeldParts[] = [];
  const isHeld = pointsPerHour >= LEAST_HELD_POINTS && days.every(({ head }) => isHoldable(head.summary));
  for (const { head, parts, column } of days) {
    const own = head.grain === 0 ? foldParts(column(), head.start, HOUR_MS) : allHours(parts, head);
    if (own === undefined || !own.sum.every(Number.isFinite)) return undefined;
    all.push(own);
    if (isHeld) held.push(head.held === 0 ? heldParts(column(), HOUR_MS) : heldHours(parts, head));
  }
  const fields: Partial<Record<PlainField | keyof HeldParts, Float64Array>> = joinFields(FIELDS, all);
  if (isHeld) Object.assign(fields, joinFields(HELD_FIELDS, held));
  const count = all.reduce((sum, one) => sum + one.start.length, 0);
  return encodeLevel({ format: isHeld ? WITH_HELD : PLAIN, parts: fields, count, start, grain: HOUR_MS });
}

function heldHours(parts: Uint8Array, { start }: ChunkHead): HeldParts {
  const read = readHeld(parts, { start, held: HOUR_MS });
  return Object.fromEntries(
    [...HELD_FIELDS, "start", "count", "last"].map((field) => [field, read(field as "last")]),
  ) as unknown as HeldParts;
}

function joinFields<Field extends string>(
  names: readonly Field[],
  days: readonly Readonly<Record<Field, Float64Array>>[],
): Record<Field, Float64Array> {
  const joined = names.map((name) => {
    const all = new Float64Array(days.reduce((sum, day) => sum + day[name].length, 0));
    let at = 0;
    for (const day of days) {
      all.set(day[name], at);
      at += day[name].length;
    }
    return [name, all];
  });
  return Object.fromEntries(joined) as Record<Field, Float64Array>;
}
