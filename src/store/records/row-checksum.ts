// Rows that decide what a device may do carry checksums, so that a flipped bit in a number is not taken for a limit. What has none was
// written by an earlier version, and counts as it is.
import { crc32 } from "node:zlib";
import type { Value } from "#store/database.ts";
import { storable } from "./storable.ts";

/** Over the values as they are stored. */
export const checksumOf = (...values: readonly Value[]): number => crc32(JSON.stringify(storable(values)));
