// The header of a file in a tar: POSIX ustar, and the large sizes of GNU tar.
import { itemAt } from "#core/item-at.ts";

export const TAR_BLOCK = 512;

export interface TarHeader {
  readonly name: string;
  /** `0` for a regular file. */
  readonly type: string;
  readonly size: number;
  /** Permissions, such as 0o600. */
  readonly mode: number;
  /** Seconds since 1970. */
  readonly modifiedAt: number;
}

const BINARY_SIZE = 0x80;
const CHECKSUM = { from: 148, end: 156 };
const decoder = new TextDecoder();

/** A block of zeros ends a tar. */
export function isTarEnd(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** Undefined when the checksum is not that of the block, or the size is none. */
export function parseTarHeader(block: Uint8Array): TarHeader | undefined {
  const text = (from: number, length: number) => tarText(block.subarray(from, from + length));
  const octal = (from: number, length: number) => Number.parseInt(text(from, length).trim() || "0", 8);
  if (octal(CHECKSUM.from, 8) !== tarChecksum(block)) return undefined;
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const size = view.getUint8(124) === BINARY_SIZE ? Number(view.getBigUint64(128)) : octal(124, 12);
  if (!Number.isSafeInteger(size) || size < 0) return undefined;
  const prefix = text(257, 5) === "ustar" ? text(345, 155) : "";
  const name = prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  const type = String.fromCharCode(itemAt(block, 156));
  return { name, type, size, mode: octal(100, 8), modifiedAt: octal(136, 12) };
}

/** The sum of all bytes, those of the checksum itself counted as spaces. */
export function tarChecksum(block: Uint8Array): number {
  return block.reduce((sum, byte, at) => sum + (at >= CHECKSUM.from && at < CHECKSUM.end ? 0x20 : byte), 0);
}

/** Bytes that fill the last block of a file of this size. */
export function tarPadding(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
}

/** Text up to the first zero. */
export function tarText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}
