import { ByteReader } from "#core/bytes/byte-reader.ts";
import { decodeBits, encodeBits } from "./bits.ts";

/** Formats 0x30 to 0x34. */
const BASE = 0x30;

/** The first `count` of `values`, zero for false and anything else for true. */
export function encodeBooleans(values: Uint8Array, count: number): Uint8Array {
  return encodeBits(BASE, values, count);
}

/** Fills the beginning of `out` with 0 and 1 and returns how many values there are. */
export function decodeBooleans(bytes: Uint8Array, out: Uint8Array): number {
  return decodeBits(BASE, new ByteReader(bytes, "booleans"), out);
}
