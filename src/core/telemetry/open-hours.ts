// Which hours of points leave memory next, and which rows of the journal are needed until then. Only decisions: no clock,
// and no storage.
import { HOUR_MS } from "#core/time/hour.ts";

/** The points of one device and hour that are not sealed. */
export interface OpenHour {
  readonly device: number;
  /** Hours since 1970. */
  readonly hour: number;
  readonly points: number;
  /** The oldest and the newest journal row with points of this hour. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** When sealing first looked at it, on a monotonic clock. */
  readonly seenAt: number | undefined;
  /** Must not be sealed earlier than this, on the same clock. */
  readonly waitsUntil: number;
}

export interface SealTime {
  /** Unix milliseconds. */
  readonly now: number;
  /** On a monotonic clock. */
  readonly elapsed: number;
  /** An hour is sealed this long after its end. */
  readonly graceMs: number;
  /** Memory runs out: every hour is due. */
  readonly isFull: boolean;
}

/** What one step may take. */
export interface StepLimit {
  readonly hours?: number;
  readonly points?: number;
}

/** What an hour costs beside its points. */
const HOUR_POINTS = 40;

/**
 * The oldest hours that are due, at least one and at most as many as one step takes. An hour that has been in memory for
 * longer than an hour is due too, whatever its own time. Otherwise an hour that lies days ahead, because a clock was wrong,
 * would hold the journal for days.
 */
export function dueHours<Hour extends OpenHour>(
  open: Iterable<Hour>,
  { now, elapsed, graceMs, isFull }: SealTime,
  { hours = Number.POSITIVE_INFINITY, points = Number.POSITIVE_INFINITY }: StepLimit,
): readonly Hour[] {
  const isDue = ({ hour, seenAt = elapsed, waitsUntil }: Hour) =>
    waitsUntil <= elapsed && (isFull || (hour + 1) * HOUR_MS <= now - graceMs || elapsed - seenAt >= HOUR_MS + graceMs);
  const due = [...open].filter(isDue).sort((a, b) => a.hour - b.hour);
  let cost = 0;
  return due.filter((hour, place) => {
    cost += hour.points + HOUR_POINTS;
    return place === 0 || (place < hours && cost <= points);
  });
}

/** Hours of series beyond two of each series, about 1 KiB each: points that are scattered over more have to wait. */
const MAX_SCATTERED = 8_192;
/**
 * Points for each open hour of a series, which costs about 0.9 KiB besides its points. Whoever invents series cannot take
 * more than 90 MB with the usual million points.
 */
const COLUMN_POINTS = 10;

/** Points lie in so many hours of series that memory for these runs out, long before that for points. */
export function isScattered(openColumns: number, series: number, mostPoints: number): boolean {
  return openColumns > Math.min(2 * series + MAX_SCATTERED, mostPoints / COLUMN_POINTS);
}

/** The first row of the journal that hours still need once `leaving` are sealed; `next` when they need none. */
export function oldestNeeded<Hour extends OpenHour>(
  open: Iterable<Hour>,
  leaving: ReadonlySet<Hour>,
  next: number,
): number {
  let oldest = next;
  for (const hour of open) if (!leaving.has(hour)) oldest = Math.min(oldest, hour.firstSequence);
  return oldest;
}

/** Hours that are sealed but still in the journal, each with the newest row that has points of it. */
export type JournaledHours = ReadonlyMap<string, number>;

export const NONE_JOURNALED: JournaledHours = new Map();

export function isJournaled(journaled: JournaledHours, device: number, hour: number): boolean {
  return journaled.has(`${device}/${hour}`);
}

/** After the hours were sealed, and the rows before `oldest` were deleted. */
export function withSealed(
  journaled: JournaledHours,
  sealed: Iterable<Pick<OpenHour, "device" | "hour" | "lastSequence">>,
  oldest: number,
): JournaledHours {
  const next = new Map(journaled);
  for (const { device, hour, lastSequence } of sealed) next.set(`${device}/${hour}`, lastSequence);
  for (const [key, sequence] of next) if (sequence < oldest) next.delete(key);
  return next;
}
