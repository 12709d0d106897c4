// Summaries of the parts of a chunk, each one or a few minutes long: a query with buckets of minutes then needs no
// values. Only numbers have them, and only where a part stands for many points.
//
//   parts := level | 0x61, length and bytes of a level of hours, level
//   level := 0x60, then the fields in the order of FIELDS: length, bytes
//   start := the parts' places in the chunk, in units of its grain (times); every other field is numbers.
//   A sum is `sum + rest`. The first is a decimal where the values are, which takes two bytes instead of eight.

import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { itemAt } from "#core/item-at.ts";
import { addSum, type ExactSum } from "#core/telemetry/exact-sum.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { POWERS, placesOf } from "./codec/decimals.ts";
import { countOf, decodeNumbers, encodeNumbers } from "./codec/numbers.ts";
import { decodeTimes, encodeTimes } from "./codec/times.ts";

const FORMAT = 0x60;
const WITH_HOURS = 0x61;
const FIELDS = ["start", "count", "sum", "rest", "min", "max", "first", "last"] as const;
export type PartField = (typeof FIELDS)[number];

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

/** One value per part in each field; `start` is Unix milliseconds. */
export type Parts = Readonly<Record<PartField, Float64Array>>;

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

/** The first `count` parts, and where it pays off the hours that they make up: a year by the hour reads only those. */
export function encodeParts(parts: Parts, count: number, place: Place): Uint8Array {
  const level = encodeLevel(parts, count, place);
  const hours = hoursOf(parts, count);
  const length = hours?.start.length ?? 0;
  if (hours === undefined || length === 1 || length * LEAST_PER_HOUR > count) return level;
  const coarse = encodeLevel(hours, length, { start: place.start, grain: HOUR_MS });
  const writer = new ByteWriter(coarse.length + level.length + 8);
  writer.byte(WITH_HOURS);
  writer.unsigned(coarse.length);
  writer.append(coarse);
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

function encodeLevel(parts: Parts, count: number, { start, grain }: Place): Uint8Array {
  const { sum, rest } = splitSums(parts, count);
  const places = parts.start.subarray(0, count).map((at) => (at - start) / grain);
  const writer = new ByteWriter(count * 12 + 64);
  writer.byte(FORMAT);
  for (const field of FIELDS) {
    const values = { ...parts, sum, rest }[field];
    const bytes = field === "start" ? encodeTimes(places, count) : encodeNumbers(values, count);
    writer.unsigned(bytes.length);
    writer.append(bytes);
  }
  return writer.bytes();
}

type Room = (field: PartField, count: number) => Float64Array;
/** Decodes a field when it is needed, into the scratch array given for it. */
type ReadField = (field: PartField) => Float64Array;

export function readParts(
  bytes: Uint8Array,
  place: Place,
  room: Room = (_, count) => new Float64Array(count),
): ReadField {
  return readLevel(levelsOf(bytes).level, place, room);
}

/** The hours instead of the parts, if the chunk has them. */
export function readHours(bytes: Uint8Array, place: Place, room?: Room): ReadField {
  const { hours } = levelsOf(bytes);
  if (hours === undefined) return readParts(bytes, place, room);
  return readParts(hours, { start: place.start, grain: HOUR_MS }, room);
}

function levelsOf(bytes: Uint8Array): { readonly hours: Uint8Array | undefined; readonly level: Uint8Array } {
  if (bytes[0] !== WITH_HOURS) return { hours: undefined, level: bytes };
  const reader = new ByteReader(bytes, "parts");
  reader.byte();
  const hours = reader.take(reader.unsigned());
  return { hours, level: bytes.subarray(reader.at) };
}

function readLevel(bytes: Uint8Array, { start, grain }: Place, room: Room): ReadField {
  const reader = new ByteReader(bytes, "parts");
  const format = reader.byte();
  if (format !== FORMAT) throw reader.damaged(`no format has the number ${format}`);
  const fields = new Map(FIELDS.map((field) => [field, reader.take(reader.unsigned())]));
  reader.finish();
  const count = countOf(fields.get("count") ?? bytes);
  if (count > MOST_PARTS) throw reader.damaged(`it has ${count} parts`);
  return (field) => {
    const values = room(field, count);
    const own = fields.get(field) ?? bytes;
    const found = field === "start" ? decodeTimes(own, values) : decodeNumbers(own, values);
    if (found !== count) throw reader.damaged(`${field} has ${found} values instead of ${count}`);
    if (field === "start") for (let i = 0; i < count; i++) values[i] = start + itemAt(values, i) * grain;
    return values;
  };
}

/**
 * The same sums, with the first term of each as a decimal with as many places as the values have, wherever that is
 * exact.
 */
function splitSums(
  { sum, rest, first }: Parts,
  count: number,
): { readonly sum: Float64Array; readonly rest: Float64Array } {
  const places = Math.max(placesOf(itemAt(first, 0)) ?? 0, placesOf(itemAt(first, count >> 1)) ?? 0);
  const power = itemAt(POWERS, places);
  const sums = sum.slice(0, count);
  const rests = rest.slice(0, count);
  for (let i = 0; i < count; i++) {
    const exact = { high: itemAt(sums, i), low: itemAt(rests, i) };
    const decimal = Math.round(exact.high * power) / power;
    const left = differenceOf(exact, decimal);
    if (left === undefined) continue;
    sums[i] = decimal;
    rests[i] = left;
  }
  return { sum: sums, rest: rests };
}

/** The difference between the sum and `value`; undefined when no double holds it exactly. */
function differenceOf({ high, low }: ExactSum, value: number): number | undefined {
  const coarse = high - value;
  const difference = coarse + low;
  return coarse + value === high && difference - coarse === low && difference - low === coarse ? difference : undefined;
}
