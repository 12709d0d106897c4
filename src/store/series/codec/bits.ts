// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import type { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";

// Zeros and ones, one a byte in memory. A blob = base + form, count, content by form. The shortest form is taken.

/** No content: all are zero. */
const ZEROS = 0;
/** No content: all are one. */
const ONES = 1;
/** The first bit, the number of changes, then the lengths of all runs but the last. */
const RUNS = 2;
/** The rarer bit, the number of its places, then how far each lies behind the one before (the first: behind -1). */
const MARKS = 3;
/** Eight bits a byte, the first lowest. */
const BITMAP = 4;

/** The first `count` of `bits` (0 or not 0). `base` is the format byte of the first form. */
export function encodeBits(base: number, bits: Uint8Array, count: number): Uint8Array {
  if (count > bits.length) throw new RangeError(`There are ${bits.length} bits, not ${count}.`);
  const { ones, changes } = survey(bits, count);
  if (ones === 0) return blob(base + ZEROS, count);
  if (ones === count) return blob(base + ONES, count);
  const most = Math.ceil(count / 8);
  const runs = changes < most ? runsOf(bits, count, changes) : undefined;
  const marks = Math.min(ones, count - ones) < most ? marksOf(bits, count, ones) : undefined;
  const runBytes = runs?.length ?? count;
  const markBytes = marks?.length ?? count;
  if (runs !== undefined && runBytes <= most && runBytes <= markBytes) return blob(base + RUNS, count, runs);
  if (marks !== undefined && markBytes <= most) return blob(base + MARKS, count, marks);
  return blob(base + BITMAP, count, bitmapOf(bits, count));
}

/** Fills the beginning of `out` with zeros and ones and returns how many there are. */
export function decodeBits(base: number, reader: ByteReader, out: Uint8Array): number {
  const format = reader.byte();
  const count = reader.count(out.length);
  switch (format - base) {
    case ZEROS:
      out.fill(0, 0, count);
      break;
    case ONES:
      out.fill(1, 0, count);
      break;
    case RUNS:
      readRuns(reader, out, count);
      break;
    case MARKS:
      readMarks(reader, out, count);
      break;
    case BITMAP:
      readBitmap(reader, out, count);
      break;
    default:
      throw reader.damaged(`no format has the number ${format}`);
  }
  reader.finish();
  return count;
}

function blob(format: number, count: number, content?: ByteWriter): Uint8Array {
  const writer = new ByteWriter(16);
  writer.byte(format);
  writer.unsigned(count);
  if (content !== undefined) writer.append(content.bytes());
  return writer.bytes();
}

function survey(bits: Uint8Array, count: number): { ones: number; changes: number } {
  let ones = 0;
  let changes = 0;
  let previous = bits[0] ? 1 : 0;
  for (let i = 0; i < count; i++) {
    const bit = bits[i] ? 1 : 0;
    ones += bit;
    changes += bit ^ previous;
    previous = bit;
  }
  return { ones, changes };
}

function runsOf(bits: Uint8Array, count: number, changes: number): ByteWriter {
  const writer = new ByteWriter(changes + 8);
  let current = bits[0] ? 1 : 0;
  let from = 0;
  writer.byte(current);
  writer.unsigned(changes);
  for (let i = 1; i < count; i++) {
    const bit = bits[i] ? 1 : 0;
    if (bit === current) continue;
    writer.unsigned(i - from);
    current = bit;
    from = i;
  }
  return writer;
}

function marksOf(bits: Uint8Array, count: number, ones: number): ByteWriter {
  const rarer = ones * 2 > count ? 0 : 1;
  const writer = new ByteWriter(8);
  let previous = -1;
  writer.byte(rarer);
  writer.unsigned(rarer === 1 ? ones : count - ones);
  for (let i = 0; i < count; i++) {
    if ((bits[i] ? 1 : 0) !== rarer) continue;
    writer.unsigned(i - previous);
    previous = i;
  }
  return writer;
}

function bitmapOf(bits: Uint8Array, count: number): ByteWriter {
  const writer = new ByteWriter(count >> 3);
  for (let from = 0; from < count; from += 8) {
    let byte = 0;
    const end = Math.min(8, count - from);
    for (let i = 0; i < end; i++) if (bits[from + i]) byte |= 1 << i;
    writer.byte(byte);
  }
  return writer;
}

function readRuns(reader: ByteReader, out: Uint8Array, count: number): void {
  let bit = readBit(reader);
  let from = 0;
  for (let changes = reader.count(count); changes > 0; changes--) {
    const end = from + reader.unsigned();
    if (end <= from || end >= count) throw reader.damaged("a run has an impossible length");
    out.fill(bit, from, end);
    from = end;
    bit ^= 1;
  }
  out.fill(bit, from, count);
}

function readMarks(reader: ByteReader, out: Uint8Array, count: number): void {
  const bit = readBit(reader);
  out.fill(bit ^ 1, 0, count);
  let at = -1;
  for (let marks = reader.count(count); marks > 0; marks--) {
    const next = at + reader.unsigned();
    if (next <= at || next >= count) throw reader.damaged("a mark lies outside");
    out[next] = bit;
    at = next;
  }
}

function readBit(reader: ByteReader): number {
  const bit = reader.byte();
  if (bit > 1) throw reader.damaged("a bit is neither 0 nor 1");
  return bit;
}

function readBitmap(reader: ByteReader, out: Uint8Array, count: number): void {
  const bytes = reader.take(Math.ceil(count / 8));
  const whole = count >> 3;
  for (let i = 0, at = 0; i < whole; i++, at += 8) {
    const byte = bytes[i] ?? 0;
    out[at] = byte & 1;
    out[at + 1] = (byte >> 1) & 1;
    out[at + 2] = (byte >> 2) & 1;
    out[at + 3] = (byte >> 3) & 1;
    out[at + 4] = (byte >> 4) & 1;
    out[at + 5] = (byte >> 5) & 1;
    out[at + 6] = (byte >> 6) & 1;
    out[at + 7] = byte >> 7;
  }
  for (let at = whole * 8; at < count; at++) out[at] = ((bytes[whole] ?? 0) >> (at & 7)) & 1;
}
