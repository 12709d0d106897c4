import { ByteReader } from "#core/bytes/byte-reader.ts";
import { decodeBits, encodeBits } from "./bits.ts";

/** Formats 0x40 to 0x44. */
const BASE = 0x40;

/** Which of the first `rows` rows have a value (not 0) and which have none (0). All present takes two to four bytes. */
export function encodePresence(bits: Uint8Array, rows: number): Uint8Array {
  return encodeBits(BASE, bits, rows);
}

/** Fills the beginning of `out` with 1 where a row has a value and 0 where not, and returns how many rows there are. */
export function decodePresence(bytes: Uint8Array, out: Uint8Array): number {
  return decodeBits(BASE, new ByteReader(bytes, "presence"), out);
}
