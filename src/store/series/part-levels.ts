// Summaries of parts of a chunk, of one length, as bytes.
//
//   level := format, then the fields of this format in order: length, bytes
//   start := the parts' places in the chunk, in units of its grain (times); first_at, last_at := milliseconds since the start
//   of the chunk (times); every other field is numbers.
//   A sum is `sum + rest`. The first is a decimal where the values are, which takes two bytes instead of eight.

import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { itemAt } from "#core/item-at.ts";
import type { ExactSum } from "#core/telemetry/exact-sum.ts";
import { POWERS, placesOf } from "./codec/decimals.ts";
import { countOf, decodeNumbers, encodeNumbers } from "./codec/numbers.ts";
import { decodeTimes, encodeTimes } from "./codec/times.ts";
import { HELD_FIELDS, type HeldField } from "./held-parts.ts";

export const FIELDS = ["start", "count", "sum", "rest", "min", "max", "first", "last"] as const;
export type PlainField = (typeof FIELDS)[number];
export type PartField = PlainField | HeldField;
/** Of an integral, quarters of an hour need nothing else. */
const QUARTER_FIELDS = ["start", "count", "last", ...HELD_FIELDS] as const;
export const PLAIN = 0x60;
export const WITH_HELD = 0x63;
export const QUARTERS = 0x64;
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

/** The minutes of a day. */
const MOST_PARTS = 1_440;

export interface Place {
  /** Start of the chunk. */
  readonly start: number;
  readonly grain: number;
}

interface Level extends Place {
  readonly format: number;
  /** Has the fields of the format. */
  readonly parts: Readonly<Partial<Record<PartField, Float64Array>>>;
  readonly count: number;
}

export function encodeLevel({ format, parts, count, start, grain }: Level): Uint8Array {
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

export type Room = (field: PartField, count: number) => Float64Array;
const ownRoom: Room = (_, count) => new Float64Array(count);
/** Decodes a field when it is needed, into the scratch array given for it. */
export type ReadField = (field: PartField) => Float64Array;

const NOTHING = new Float64Array(0);

export const hasHeld = (level: Uint8Array): boolean => level[0] === WITH_HELD;

export function readLevel(bytes: Uint8Array, { start, grain }: Place, room: Room = ownRoom): ReadField {
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
