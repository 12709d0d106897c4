// Summaries of the parts of a chunk, each one or a few minutes long: a query with buckets of minutes then needs no
// values. Only numbers have them, and only where a part stands for many points.
//
//   parts := level | 0x61, length and bytes of a level of hours, level
//          | 0x62, length and bytes of a level of hours, length and bytes of a level of quarters of an hour or nothing, level

import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { itemAt } from "#core/item-at.ts";
import { addSum } from "#core/telemetry/exact-sum.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { type HeldParts, QUARTER_MS } from "./held-parts.ts";
import {
  encodeLevel,
  FIELDS,
  PLAIN,
  type Place,
  type PlainField,
  QUARTERS,
  type ReadField,
  type Room,
  readLevel,
  WITH_HELD,
} from "./part-levels.ts";

const WITH_HOURS = 0x61;
const WITH_QUARTERS = 0x62;

const MINUTE_MS = 60_000;
const GRAINS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS];
/** Hours beside parts that are hardly shorter would save nothing. */
const LEAST_PER_HOUR = 4;
/** A part with fewer points would cost more room than it saves time. */
const LEAST_POINTS = 30;

interface Points {
  readonly count: number;
  readonly times: Float64Array;
}

/** The length of the parts of these points in milliseconds; 0 when parts do not pay off. */
export function grainOf({ times, count }: Points, span: number): number {
  const length = itemAt(times, count - 1) - itemAt(times, 0);
  return GRAINS.find((grain) => grain < span && count >= LEAST_POINTS * (length / grain + 1)) ?? 0;
}

/** One value per part in each field; times are Unix milliseconds. */
export type Parts = Readonly<Record<PlainField, Float64Array>>;

export function createParts(room: number): Parts {
  const field = () => new Float64Array(room);
  return {
    start: field(),
    count: field(),
    sum: field(),
    rest: field(),
    min: field(),
    max: field(),
    first: field(),
    last: field(),
  };
}

/** What integrals need: of hours, and of quarters of an hour unless these would have too few points. */
export interface HeldLevels {
  readonly hours: HeldParts;
  readonly quarters: HeldParts | undefined;
}

/** The first `count` parts, and where it pays off the hours that they make up: a year by the hour reads only those. */
export function encodeParts(
  parts: Parts,
  count: number,
  place: Place & { readonly held?: HeldLevels | undefined },
): Uint8Array {
  const { start, grain, held } = place;
  const level = encodeLevel({ format: PLAIN, parts, count, start, grain });
  const hours = hoursOf(parts, count);
  const length = hours?.start.length ?? 0;
  const writer = new ByteWriter(2 * level.length + 64);
  const append = (bytes: Uint8Array) => {
    writer.unsigned(bytes.length);
    writer.append(bytes);
  };
  if (held !== undefined && hours !== undefined) {
    const { hours: heldHours, quarters } = held;
    writer.byte(WITH_QUARTERS);
    append(encodeLevel({ format: WITH_HELD, parts: { ...hours, ...heldHours }, count: length, start, grain: HOUR_MS }));
    const places = { start, grain: QUARTER_MS };
    append(
      quarters
        ? encodeLevel({ format: QUARTERS, parts: quarters, count: quarters.start.length, ...places })
        : new Uint8Array(0),
    );
  } else {
    if (hours === undefined || length === 1 || length * LEAST_PER_HOUR > count) return level;
    writer.byte(WITH_HOURS);
    append(encodeLevel({ format: PLAIN, parts: hours, count: length, start, grain: HOUR_MS }));
  }
  writer.append(level);
  return writer.bytes();
}

/** Undefined where the sum of an hour is not finite. */
function hoursOf(parts: Parts, count: number): Parts | undefined {
  const hours = createParts(count);
  let hour = -1;
  for (let part = 0; part < count; part++) {
    const start = Math.floor(itemAt(parts.start, part) / HOUR_MS) * HOUR_MS;
    if (hour < 0 || start !== itemAt(hours.start, hour)) {
      hour++;
      hours.start[hour] = start;
      hours.first[hour] = itemAt(parts.first, part);
      hours.min[hour] = Number.POSITIVE_INFINITY;
      hours.max[hour] = Number.NEGATIVE_INFINITY;
    }
    const sum = { high: itemAt(hours.sum, hour), low: itemAt(hours.rest, hour) };
    addSum(sum, { high: itemAt(parts.sum, part), low: itemAt(parts.rest, part) });
    if (!Number.isFinite(sum.high)) return undefined;
    hours.sum[hour] = sum.high;
    hours.rest[hour] = sum.low;
    hours.count[hour] = itemAt(hours.count, hour) + itemAt(parts.count, part);
    hours.min[hour] = Math.min(itemAt(hours.min, hour), itemAt(parts.min, part));
    hours.max[hour] = Math.max(itemAt(hours.max, hour), itemAt(parts.max, part));
    hours.last[hour] = itemAt(parts.last, part);
  }
  return firstParts(hours, hour + 1);
}

export function firstParts(parts: Parts, count: number): Parts {
  return Object.fromEntries(FIELDS.map((field) => [field, parts[field].subarray(0, count)])) as unknown as Parts;
}

/** What the hours of a chunk of numbers are made of: its parts. Undefined where the sum of an hour is not finite. */
export function allHours(bytes: Uint8Array, place: Place): Parts | undefined {
  const { hours, level } = levelsOf(bytes);
  const grain = hours === undefined ? place.grain : HOUR_MS;
  const read = readLevel(hours ?? level, { start: place.start, grain });
  const parts = Object.fromEntries(FIELDS.map((field) => [field, read(field)])) as unknown as Parts;
  return grain === HOUR_MS ? parts : hoursOf(parts, parts.start.length);
}

export function readParts(bytes: Uint8Array, place: Place, room?: Room): ReadField {
  return readLevel(levelsOf(bytes).level, place, room);
}

/** What integrals need, of parts of the length `held`. */
export function readHeld(
  bytes: Uint8Array,
  { start, held }: { readonly start: number; readonly held: number },
  room?: Room,
): ReadField {
  const { hours, quarters } = levelsOf(bytes);
  return readLevel((held === HOUR_MS ? hours : quarters) ?? NO_BYTES, { start, grain: held }, room);
}

/** The hours instead of the parts, if the chunk has them. */
export function readHours(bytes: Uint8Array, place: Place, room?: Room): ReadField {
  const { hours } = levelsOf(bytes);
  if (hours === undefined) return readParts(bytes, place, room);
  return readLevel(hours, { start: place.start, grain: HOUR_MS }, room);
}

const NO_BYTES = new Uint8Array(0);

interface Levels {
  readonly hours?: Uint8Array;
  readonly quarters?: Uint8Array;
  readonly level: Uint8Array;
}

function levelsOf(bytes: Uint8Array): Levels {
  if (bytes[0] !== WITH_HOURS && bytes[0] !== WITH_QUARTERS) return { level: bytes };
  const reader = new ByteReader(bytes, "parts");
  const hasQuarters = reader.byte() === WITH_QUARTERS;
  const hours = reader.take(reader.unsigned());
  const quarters = hasQuarters ? reader.take(reader.unsigned()) : NO_BYTES;
  return { hours, quarters, level: bytes.subarray(reader.at) };
}
