// Every stored piece carries a checksum over its bytes and its place, so that neither a flipped bit nor a swapped row is ever served.
// CRC-32 finds every single flipped byte, and zlib computes it natively, about a nanosecond a byte: 2 % of the time to decode a day of
// numbers, 0.1 % of the time to encode it.

import { crc32 } from "node:zlib";
import { itemAt } from "#core/item-at.ts";

/** The place of a piece. The caller decides what of it to show. */
export interface StoredPlace {
  readonly table: "chunk" | "segment" | "journal" | "latest" | "series" | "device";
  /** Number of the series, or of the device, or of the row. */
  readonly key: number;
  /** Unix milliseconds; [start, start + span). */
  readonly start: number;
  readonly span: number;
}

export class DamagedPiece extends Error {
  readonly place: StoredPlace;

  constructor(place: StoredPlace) {
    super(`stored telemetry is damaged: ${place.table} ${place.key} at ${place.start}`);
    this.name = "DamagedPiece";
    this.place = place;
  }
}

const numbers = new Float64Array(32);
const numberBytes = new Uint8Array(numbers.buffer);

/** Over the numbers, then over the texts and bytes. */
export function checksum(place: readonly number[], ...pieces: readonly (Uint8Array | string)[]): number {
  // A database may not distinguish -0 from 0.
  for (let i = 0; i < place.length; i++) numbers[i] = itemAt(place, i) + 0;
  let sum = crc32(numberBytes.subarray(0, place.length * 8));
  for (const piece of pieces) sum = crc32(piece, sum);
  return sum;
}
