// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { itemAt } from "#core/item-at.ts";
import { ONE, readIntegers } from "./read-integers.ts";
import { writeIntegers } from "./write-integers.ts";

// A blob of texts = format, count, dictionary in order of first use, then for each text its place in the dictionary: as runs (place and
// length) or as whole numbers in blocks. A word = its bytes * 2 + form, bytes; form 0 is UTF-8, form 1 the UTF-16 units of a text with
// a lone surrogate, which UTF-8 cannot hold.

const RUNS = 0x50;
const BLOCKS = 0x51;

/** A few damaged bytes must not claim the memory of the machine: no blob holds more texts. */
const MAX_TEXTS = 2 ** 24;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodeTexts(values: readonly string[]): Uint8Array {
  if (values.length > MAX_TEXTS) throw new RangeError(`A blob holds at most ${MAX_TEXTS} texts.`);
  const dictionary = new Map<string, number>();
  const places = new Float64Array(values.length);
  const runs = new ByteWriter(16);
  let from = 0;
  values.forEach((value, i) => {
    let place = dictionary.get(value);
    if (place === undefined) {
      place = dictionary.size;
      dictionary.set(value, place);
    }
    places[i] = place;
    if (i > 0 && place !== places[i - 1]) {
      writeRun(runs, itemAt(places, i - 1), i - from);
      from = i;
    }
  });
  if (values.length > 0) writeRun(runs, itemAt(places, values.length - 1), values.length - from);
  const blocks = new ByteWriter(values.length);
  writeIntegers(blocks, places, values.length);
  const shorter = runs.length <= blocks.length ? runs : blocks;
  // Room for all of it: an hour may have megabytes of texts, and growing would take as much again.
  let room = shorter.length + 64;
  for (const word of dictionary.keys()) room += word.length + 8;
  const writer = new ByteWriter(room);
  writer.byte(shorter === runs ? RUNS : BLOCKS);
  writer.unsigned(values.length);
  writer.unsigned(dictionary.size);
  for (const word of dictionary.keys()) writeWord(writer, word);
  writer.append(shorter.bytes());
  return writer.bytes();
}

export function decodeTexts(bytes: Uint8Array): string[] {
  const reader = new ByteReader(bytes, "texts");
  const format = reader.byte();
  if (format !== RUNS && format !== BLOCKS) throw reader.damaged(`no format has the number ${format}`);
  const count = reader.count(MAX_TEXTS);
  const size = reader.count(count);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const dictionary: string[] = [];
  for (let i = 0; i < size; i++) dictionary.push(readWord(reader, buffer));
  return format === RUNS ? readRuns(reader, dictionary, count) : readPlaces(reader, dictionary, count);
}

function writeRun(runs: ByteWriter, place: number, length: number): void {
  runs.unsigned(place);
  runs.unsigned(length);
}

function readRuns(reader: ByteReader, dictionary: readonly string[], count: number): string[] {
  const texts: string[] = [];
  while (texts.length < count) {
    const word = wordAt(reader, dictionary, reader.unsigned());
    const length = reader.unsigned();
    if (length === 0 || length > count - texts.length) throw reader.damaged("a run has an impossible length");
    for (let i = 0; i < length; i++) texts.push(word);
  }
  reader.finish();
  return texts;
}

function readPlaces(reader: ByteReader, dictionary: readonly string[], count: number): string[] {
  // Even a block of no width has a head of two bytes: more texts than that cannot be there.
  if (count > reader.left * 64) throw reader.damaged("the bytes end too early");
  const places = new Float64Array(count);
  readIntegers(reader, places, { count, factor: ONE });
  const texts: string[] = [];
  for (let i = 0; i < count; i++) texts.push(dictionary[places[i] ?? 0] ?? wordAt(reader, dictionary, places[i] ?? 0));
  return texts;
}

function wordAt(reader: ByteReader, dictionary: readonly string[], place: number): string {
  const word = dictionary[place];
  if (word === undefined) throw reader.damaged(`the dictionary has no word ${place}`);
  return word;
}

function writeWord(writer: ByteWriter, word: string): void {
  if (word.isWellFormed()) {
    const bytes = encoder.encode(word);
    writer.unsigned(bytes.length * 2);
    writer.append(bytes);
    return;
  }
  writer.unsigned(word.length * 4 + 1);
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i);
    writer.byte(unit & 255);
    writer.byte(unit >> 8);
  }
}

/** `buffer` is the reader's bytes. */
function readWord(reader: ByteReader, buffer: Buffer): string {
  const head = reader.unsigned();
  const length = Math.floor(head / 2);
  const begin = reader.skip(length);
  if (head % 2 === 0 && isAscii(reader.bytes, begin, begin + length)) {
    return buffer.toString("latin1", begin, begin + length);
  }
  const bytes = reader.bytes.subarray(begin, begin + length);
  if (head % 2 === 0) {
    try {
      return decoder.decode(bytes);
    } catch {
      throw reader.damaged("a word is not UTF-8");
    }
  }
  if (bytes.length % 2 === 1) throw reader.damaged("a word has half a character");
  let word = "";
  for (let i = 0; i < bytes.length; i += 2) word += String.fromCharCode((bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8));
  return word;
}

function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if ((bytes[i] ?? 0) >= 128) return false;
  return true;
}
