import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { countOf, decodeNumbers, encodeNumbers, isConstant } from "./numbers.ts";

// Many numbers in sections of their own, so that an hour of a day is read without the rest of it.
//   sections = 0x15, count, numbers in each section but the last, length of each section, the sections (numbers each)
// Few numbers stand without sections.

const SECTIONS = 0x15;
const SECTION = 4_096;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The first `count` of `values`. */
export function encodeSections(values: Float64Array, count: number): Uint8Array {
  if (count <= SECTION || isConstant(values, count)) return encodeNumbers(values, count);
  const sections: Uint8Array[] = [];
  for (let from = 0; from < count; from += SECTION) {
    const section = values.subarray(from, Math.min(from + SECTION, count));
    sections.push(encodeNumbers(section, section.length));
  }
  const writer = new ByteWriter(sections.reduce((sum, { length }) => sum + length, 2 * sections.length + 16));
  writer.byte(SECTIONS);
  writer.unsigned(count);
  writer.unsigned(SECTION);
  for (const { length } of sections) writer.unsigned(length);
  for (const section of sections) writer.append(section);
  return writer.bytes();
}

/** The values `from` to before `to` of `count` ones. `room` gives an array of at least so many places to decode into. */
export function decodeSections(
  bytes: Uint8Array,
  { from, to, count }: Range & { readonly count: number },
  room: (count: number) => Float64Array,
): Float64Array {
  const reader = new ByteReader(bytes, "numbers");
  if (bytes[0] !== SECTIONS) {
    if (countOf(bytes) !== count) throw reader.damaged(`it has ${countOf(bytes)} values instead of ${count}`);
    const all = room(count);
    decodeNumbers(bytes, all);
    return all.subarray(from, to);
  }
  reader.byte();
  if (reader.unsigned() !== count) throw reader.damaged(`it has not ${count} values`);
  const size = reader.unsigned();
  if (size === 0 || count > size * bytes.length) throw reader.damaged(`sections of ${size} values cannot be`);
  const lengths = Array.from({ length: Math.ceil(count / size) }, () => reader.unsigned());
  const first = Math.floor(from / size);
  const last = Math.ceil(to / size);
  const out = room(Math.max(0, Math.min(last * size, count) - first * size));
  for (const [index, length] of lengths.entries()) {
    const section = reader.take(length);
    if (index < first || index >= last) continue;
    const expected = Math.min(size, count - index * size);
    const found = decodeNumbers(section, out.subarray((index - first) * size, (index - first) * size + expected));
    if (found !== expected) throw reader.damaged(`a section has ${found} values instead of ${expected}`);
  }
  reader.finish();
  return out.subarray(from - first * size, to - first * size);
}
