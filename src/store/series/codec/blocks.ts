// How whole numbers are stored: in blocks of 128. A block holds the values themselves, their differences or the differences of their
// differences (its mode), each less a base, packed with as many bits as the largest needs. Differences run on from block to block.
// Values that would widen their whole block are patches: packed as zero and listed with what is missing.
//   section = first value, first difference, length of the heads, heads of all blocks, packed values of all blocks
//   head    = [PATCHED | patches - 1,] mode << 6 | width, base, then for each patch its position (a byte) and what is missing
//   packed  = `width` bits a value; of values wider than 32 bits first the low 32 of all, then the rest of all
// Numbers in heads are those of ByteWriter.signed; the last block may be shorter than the others.

/** Values of a block. 128 values of any width fill whole 32-bit words. */
export const BLOCK = 128;

/** Magnitudes stay below this, so that differences of differences are exact doubles and no value needs more than 52 bits. */
export const LIMIT = 2 ** 51;
export const MAX_WIDTH = 52;
export const MAX_PATCHES = 64;

export const PLAIN = 0;
export const DELTA = 1;
export const DELTA_OF_DELTA = 2;
export const PATCHED = 3;

/** The value before a block, and the difference that led to it. */
export type Before = { value: number; difference: number };
