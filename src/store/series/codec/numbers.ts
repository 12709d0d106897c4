// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { itemAt } from "#core/item-at.ts";
import { BLOCK } from "./blocks.ts";
import { factorOf, findDecimals, POWERS } from "./decimals.ts";
import { ONE, readIntegers } from "./read-integers.ts";
import { writeIntegers } from "./write-integers.ts";

// A blob of numbers = format, count, content. Every double comes back bit by bit (of NaN only that it is one).

/** Eight bytes each. */
const RAW = 0x10;
/** One double that stands for all. */
const CONSTANT = 0x11;
/** Whole numbers over a power of ten; values that are none are listed. */
const DECIMAL = 0x12;
/** The bits of the float32 that each value is. */
const FLOAT32 = 0x13;
/** The high words packed, then the low words as they are. */
const WORDS = 0x14;

/** The same bytes as float32 values and as their bits. */
const float = new Float32Array(BLOCK);
const floatBits = new Int32Array(float.buffer);
/** Which of a double's two words this machine keeps its sign and exponent in: the second, but for a few old ones. */
const HIGH = new Int32Array(Float64Array.of(1).buffer)[1] === 0 ? 0 : 1;

/** The first `count` of `values` in as few bytes as any of the formats gives. */
export function encodeNumbers(values: Float64Array, count: number): Uint8Array {
  if (count > values.length) throw new RangeError(`There are ${values.length} values, not ${count}.`);
  const writer = start(CONSTANT, count);
  if (isConstant(values, count)) {
    if (count > 0) writer.double(itemAt(values, 0));
    return writer.bytes();
  }
  const decimal = encodeDecimal(values, count);
  if (decimal !== undefined && decimal.length < count * 3) return decimal;
  const other = encodeFloat32(values, count) ?? encodeWords(values, count);
  const shortest = decimal === undefined || other.length < decimal.length ? other : decimal;
  return shortest.length < 8 * count ? shortest : encodeRaw(values, count);
}

/** Fills the beginning of `out` and returns how many values there are. */
export function decodeNumbers(bytes: Uint8Array, out: Float64Array): number {
  const reader = new ByteReader(bytes, "numbers");
  const format = reader.byte();
  const count = reader.count(out.length);
  switch (format) {
    case RAW:
      decodeRaw(reader, out, count);
      break;
    case CONSTANT:
      if (count > 0) out.fill(reader.double(), 0, count);
      break;
    case DECIMAL:
      decodeDecimal(reader, out, count);
      break;
    case FLOAT32:
      decodeFloat32(reader, out, count);
      break;
    case WORDS:
      decodeWords(reader, out, count);
      break;
    default:
      throw reader.damaged(`no format has the number ${format}`);
  }
  reader.finish();
  return count;
}

/** How many numbers `bytes` hold. */
export function countOf(bytes: Uint8Array): number {
  const reader = new ByteReader(bytes, "numbers");
  const format = reader.byte();
  if (format < RAW || format > WORDS) throw reader.damaged(`no format has the number ${format}`);
  return reader.unsigned();
}

function start(format: number, count: number): ByteWriter {
  const writer = new ByteWriter(count + 24);
  writer.byte(format);
  writer.unsigned(count);
  return writer;
}

export function isConstant(values: Float64Array, count: number): boolean {
  for (let i = 1; i < count; i++) if (!Object.is(values[i], values[0])) return false;
  return true;
}

function encodeRaw(values: Float64Array, count: number): Uint8Array {
  const writer = start(RAW, count);
  for (let i = 0; i < count; i++) writer.double(values[i] ?? 0);
  return writer.bytes();
}

function decodeRaw(reader: ByteReader, out: Float64Array, count: number): void {
  const from = reader.skip(8 * count);
  for (let i = 0; i < count; i++) out[i] = reader.view.getFloat64(from + 8 * i, true);
}

/** The other values as positions (each from the one before) and doubles, then the whole numbers. */
function encodeDecimal(values: Float64Array, count: number): Uint8Array | undefined {
  const found = findDecimals(values, count);
  if (found === undefined) return undefined;
  const writer = start(DECIMAL, count);
  writer.byte((found.places << 1) | (found.divide ? 1 : 0));
  writer.unsigned(found.others.length);
  let previous = 0;
  for (const at of found.others) {
    writer.unsigned(at - previous);
    writer.double(itemAt(values, at));
    previous = at;
  }
  writeIntegers(writer, found.integers, count);
  return writer.bytes();
}

function decodeDecimal(reader: ByteReader, out: Float64Array, count: number): void {
  const scale = reader.byte();
  const power = POWERS[scale >> 1];
  if (power === undefined) throw reader.damaged(`it has ${scale >> 1} decimal places`);
  const divide = (scale & 1) === 1;
  const others = reader.count(count);
  const at: number[] = [];
  const value: number[] = [];
  let previous = 0;
  for (let i = 0; i < others; i++) {
    previous += reader.unsigned();
    if (previous >= count) throw reader.damaged("a listed value lies outside");
    at.push(previous);
    value.push(reader.double());
  }
  readIntegers(reader, out, { count, factor: divide ? ONE : factorOf(scale >> 1) });
  if (divide) for (let i = 0; i < count; i++) out[i] = (out[i] ?? 0) / power;
  for (let i = 0; i < others; i++) out[at[i] ?? 0] = value[i] ?? 0;
}

function encodeFloat32(values: Float64Array, count: number): Uint8Array | undefined {
  const bits = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const value = values[i] ?? 0;
    if (Math.fround(value) !== value) return undefined;
    float[0] = value;
    bits[i] = order(floatBits[0] ?? 0);
  }
  const writer = start(FLOAT32, count);
  writeIntegers(writer, bits, count);
  return writer.bytes();
}

function decodeFloat32(reader: ByteReader, out: Float64Array, count: number): void {
  readIntegers(reader, out, { count, factor: ONE });
  for (let from = 0; from < count; from += float.length) {
    const end = Math.min(float.length, count - from);
    for (let i = 0; i < end; i++) floatBits[i] = order(out[from + i] ?? 0);
    for (let i = 0; i < end; i++) out[from + i] = float[i] ?? 0;
  }
}

function encodeWords(values: Float64Array, count: number): Uint8Array {
  const writer = start(WORDS, count);
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * count);
  const high = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    high[i] = order(words[2 * i + HIGH] ?? 0);
    writer.word(words[2 * i + 1 - HIGH] ?? 0);
  }
  writeIntegers(writer, high, count);
  return writer.bytes();
}

function decodeWords(reader: ByteReader, out: Float64Array, count: number): void {
  const low = reader.skip(4 * count);
  readIntegers(reader, out, { count, factor: ONE });
  const words = new Int32Array(out.buffer, out.byteOffset, 2 * count);
  const { view } = reader;
  for (let i = 0; i < count; i++) {
    const high = order(out[i] ?? 0);
    words[2 * i + HIGH] = high;
    words[2 * i + 1 - HIGH] = view.getInt32(low + 4 * i, true);
  }
}

/** The sign and magnitude of a floating-point pattern as a whole number that rises with the value; its own inverse. */
function order(bits: number): number {
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
