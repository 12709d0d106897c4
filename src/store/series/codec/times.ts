// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { LIMIT } from "./blocks.ts";
import { ONE, readIntegers } from "./read-integers.ts";
import { writeIntegers } from "./write-integers.ts";

// A blob of times = format, count, whole numbers in blocks. Times are whole milliseconds, strictly rising, of magnitude below 2^51
// (71,000 years): an Error says so otherwise, on the way in as on the way out.

const BLOCKS = 0x20;

/** Whether `bytes` begin as times do. */
export function areTimes(bytes: Uint8Array): boolean {
  return bytes[0] === BLOCKS;
}

/** The first `count` of `times`. */
export function encodeTimes(times: Float64Array, count: number): Uint8Array {
  if (count > times.length) throw new RangeError(`There are ${times.length} times, not ${count}.`);
  let previous = -LIMIT;
  for (let i = 0; i < count; i++) {
    const time = times[i] ?? 0;
    if (!(time > previous && time < LIMIT && Number.isInteger(time))) {
      throw new RangeError(`Times must be whole milliseconds and rise, yet ${time} follows ${previous}.`);
    }
    previous = time;
  }
  const writer = new ByteWriter(count + 24);
  writer.byte(BLOCKS);
  writer.unsigned(count);
  writeIntegers(writer, times, count);
  return writer.bytes();
}

/** Fills the beginning of `out` and returns how many times there are. */
export function decodeTimes(bytes: Uint8Array, out: Float64Array): number {
  const reader = new ByteReader(bytes, "times");
  const format = reader.byte();
  if (format !== BLOCKS) throw reader.damaged(`no format has the number ${format}`);
  const count = reader.count(out.length);
  readIntegers(reader, out, { count, factor: ONE });
  let previous = -LIMIT;
  let rising = true;
  for (let i = 0; i < count; i++) {
    const time = out[i] ?? 0;
    if (time <= previous) rising = false;
    previous = time;
  }
  if (!rising || previous >= LIMIT) throw reader.damaged("the times do not rise");
  return count;
}
