// Summaries of the parts of a chunk, each one or a few minutes long: a query with buckets of minutes then needs no
// values. Only numbers have them, and only where a part stands for many points.
//
//   parts := level | 0x61, length and bytes of a level of hours, level
//          | 0x62, length and bytes of a level of hours, length and bytes of a level of quarters of an hour or nothing, level
//   level := format, then the fields of this format in order: length, bytes
//   start := the parts' places in the chunk, in units of its grain (times); first_at, last_at := milliseconds since the start
//   of the chunk (times); every other field is numbers.
//   A sum is `sum + rest`. The first is a decimal where the values are, which takes two bytes instead of eight.

import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { itemAt } from "#core/item-at.ts";
import { addSum, type ExactSum } from "#core/telemetry/exact-sum.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { POWERS, placesOf } from "./codec/decimals.ts";
import { countOf, decodeNumbers, encodeNumbers } from "./codec/numbers.ts";
import { decodeTimes, encodeTimes } from "./codec/times.ts";
import { HELD_FIELDS, type HeldField, type HeldParts, QUARTER_MS } from "./held-parts.ts";

const WITH_HOURS = 0x61;
const WITH_QUARTERS = 0x62;
const FIELDS = ["start", "count", "sum", "rest", "min", "max", "first", "last"] as const;
type PlainField = (typeof FIELDS)[number];
export type PartField = PlainField | HeldField;
/** Of an integral, quarters of an hour need nothing else. */
const QUARTER_FIELDS = ["start", "count", "last", ...HELD_FIELDS] as const;
const PLAIN = 0x60;
const WITH_HELD = 0x63;
const QUARTERS = 0x64;
const FORMATS: ReadonlyMap<number, readonly PartField[]> = new Map<number, readonly PartField[]>([
  [PLAIN, FIELDS],
  [WITH_HELD, [...FIELDS, ...HELD_FIELDS]],
  [QUARTERS, QUARTER_FIELDS],
]);
/** Fields that are times. */
const TIMES: ReadonlySet<PartField> = new Set(["start", "firstAt", "lastAt"]);
/** Exact sums: each is the first field and the second. */
const SUMS = [
  ["sum", "rest"],
  ["held", "heldRest"],
  ["above", "aboveRest"],
  ["below", "belowRest"],
] as const;

const MINUTE_MS = 60_000;
const GRAINS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS];
/** Hours beside parts that are hardly shorter would save nothing. */
const LEAST_PER_HOUR = 4;
/** A part with fewer points would cost more room than it saves time. */
const LEAST_POINTS = 30;

/** The minutes of a day. */
const MOST_PARTS = 1_440;

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

interface Place {
  /** Start of the chunk. */
  readonly start: number;
  readonly grain: number;
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
  return Object.fromEntries(FIELDS.map((field) => [field, hours[field].subarray(0, hour + 1)])) as unknown as Parts;
}

interface Level extends Place {
  readonly format: number;
  /** Has the fields of the format. */
  readonly parts: Readonly<Partial<Record<PartField, Float64Array>>>;
  readonly count: number;
}

function encodeLevel({ format, parts, count, start, grain }: Level): Uint8Array {
  const fields = new Map(Object.entries(parts)) as Map<PartField, Float64Array>;
  const power = powerOf(fields.get("first") ?? fields.get("last") ?? NOTHING, count);
  for (const [sum, rest] of SUMS) {
    const [high, low] = [fields.get(sum), fields.get(rest)];
    if (high === undefined || low === undefined) continue;
    const split = splitSums({ high, low }, count, power);
    fields.set(sum, split.high);
    fields.set(rest, split.low);
  }
  const writer = new ByteWriter(count * 12 + 64);
  writer.byte(format);
  for (const field of FORMATS.get(format) ?? []) {
    const values = fields.get(field) ?? NOTHING;
    const unit = field === "start" ? grain : 1;
    const bytes = TIMES.has(field)
      ? encodeTimes(
          values.subarray(0, count).map((at) => (at - start) / unit),
          count,
        )
      : encodeNumbers(values, count);
    writer.unsigned(bytes.length);
    writer.append(bytes);
  }
  return writer.bytes();
}

type Room = (field: PartField, count: number) => Float64Array;
const ownRoom: Room = (_, count) => new Float64Array(count);
/** Decodes a field when it is needed, into the scratch array given for it. */
type ReadField = (field: PartField) => Float64Array;

export function readParts(bytes: Uint8Array, place: Place, room: Room = ownRoom): ReadField {
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

const NOTHING = new Float64Array(0);
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

function readLevel(bytes: Uint8Array, { start, grain }: Place, room: Room = ownRoom): ReadField {
  const reader = new ByteReader(bytes, "parts");
  const format = reader.byte();
  const names = FORMATS.get(format);
  if (names === undefined) throw reader.damaged(`no format has the number ${format}`);
  const fields = new Map(names.map((field) => [field, reader.take(reader.unsigned())]));
  reader.finish();
  const count = countOf(fields.get("count") ?? bytes);
  if (count > MOST_PARTS) throw reader.damaged(`it has ${count} parts`);
  return (field) => {
    const values = room(field, count);
    const own = fields.get(field);
    if (own === undefined) throw reader.damaged(`it has no ${field}`);
    const isTime = TIMES.has(field);
    const found = isTime ? decodeTimes(own, values) : decodeNumbers(own, values);
    if (found !== count) throw reader.damaged(`${field} has ${found} values instead of ${count}`);
    const unit = field === "start" ? grain : 1;
    if (isTime) for (let i = 0; i < count; i++) values[i] = start + itemAt(values, i) * unit;
    return values;
  };
}

/** Ten to the power of the decimal places of the values. */
function powerOf(values: Float64Array, count: number): number {
  const places = Math.max(placesOf(values.at(0) ?? 0) ?? 0, placesOf(values.at(count >> 1) ?? 0) ?? 0);
  return itemAt(POWERS, places);
}

interface Pairs {
  readonly high: Float64Array;
  readonly low: Float64Array;
}

/**
 * The same sums, with the first term of each as a decimal with as many places as the values have, wherever that is
 * exact.
 */
function splitSums({ high, low }: Pairs, count: number, power: number): Pairs {
  const sums = high.slice(0, count);
  const rests = low.slice(0, count);
  for (let i = 0; i < count; i++) {
    const exact = { high: itemAt(sums, i), low: itemAt(rests, i) };
    const decimal = Math.round(exact.high * power) / power;
    const left = differenceOf(exact, decimal);
    if (left === undefined) continue;
    sums[i] = decimal;
    rests[i] = left;
  }
  return { high: sums, low: rests };
}

/** The difference between the sum and `value`; undefined when no double holds it exactly. */
function differenceOf({ high, low }: ExactSum, value: number): number | undefined {
  const coarse = high - value;
  const difference = coarse + low;
  return coarse + value === high && difference - coarse === low && difference - low === coarse ? difference : undefined;
}
