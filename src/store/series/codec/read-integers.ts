// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import type { ByteReader } from "#core/bytes/byte-reader.ts";
import { itemAt } from "#core/item-at.ts";
import { BLOCK, DELTA, DELTA_OF_DELTA, MAX_WIDTH, PATCHED, PLAIN } from "./blocks.ts";
import { packedBytes, unpack } from "./unpack.ts";

/** What each whole number `n` is multiplied with as it is read: it becomes `n * high + n * low`. */
export type Factor = { readonly high: number; readonly low: number };

export const ONE: Factor = { high: 1, low: 0 };

type Target = { readonly out: Float64Array; readonly factor: Factor; value: number; difference: number };

type Block = { from: number; count: number; mode: number; width: number; base: number; patches: number };

const WORD = 2 ** 32;
const POWERS = Float64Array.from({ length: MAX_WIDTH + 1 }, (_, width) => 2 ** width);
const words = new Uint32Array(BLOCK);
const highWords = new Uint32Array(BLOCK);
const patchAt = new Uint8Array(BLOCK);
const patchBy = new Float64Array(BLOCK);

/** Reads `count` numbers, the last section of a blob, to the beginning of `out`. */
export function readIntegers(
  reader: ByteReader,
  out: Float64Array,
  { count, factor }: { readonly count: number; readonly factor: Factor },
): void {
  if (count === 0) return;
  const first = reader.signed();
  const difference = reader.signed();
  const headBytes = reader.unsigned();
  const headsEnd = reader.at + headBytes;
  let body = headsEnd;
  const target: Target = { out, factor, value: first - difference, difference };
  const block: Block = { from: 0, count: 0, mode: 0, width: 0, base: 0, patches: 0 };
  for (let from = 0; from < count; from += BLOCK) {
    block.from = from;
    block.count = Math.min(BLOCK, count - from);
    readHead(reader, block);
    const low = Math.min(block.width, 32);
    const high = body + packedBytes(block.count, low);
    const end = high + packedBytes(block.count, block.width - low);
    if (end > reader.bytes.length) throw reader.damaged("the packed values end too early");
    unpack({ view: reader.view, at: body, width: low }, words, block.count);
    if (isNarrow(target, block)) {
      for (let i = 0; i < block.patches; i++) words[patchAt[i] ?? 0] = patchBy[i] ?? 0;
      if (block.mode === PLAIN) placeValues(target, block);
      else if (block.mode === DELTA) addDifferences(target, block);
      else addCurvatures(target, block);
    } else {
      unpack({ view: reader.view, at: high, width: block.width - low }, highWords, block.count);
      addWide(target, block);
    }
    body = end;
  }
  if (reader.at !== headsEnd) throw reader.damaged("the heads of the blocks do not have the stated length");
  reader.at = body;
  reader.finish();
}

function readHead(reader: ByteReader, block: Block): void {
  let head = reader.byte();
  block.patches = 0;
  if (head >> 6 === PATCHED) {
    block.patches = (head & 63) + 1;
    head = reader.byte();
  }
  block.mode = head >> 6;
  block.width = head & 63;
  if (block.mode === PATCHED) throw reader.damaged("a block has no known mode");
  if (block.width > MAX_WIDTH) throw reader.damaged(`a block is ${block.width} bits wide`);
  block.base = reader.signed();
  for (let i = 0; i < block.patches; i++) {
    const at = reader.byte();
    if (at >= block.count) throw reader.damaged("a patch lies outside its block");
    patchAt[i] = at;
    patchBy[i] = reader.signed();
  }
}

/**
 * Whether 32-bit sums suffice, whatever is packed: then every partial sum of the block's residuals stays inside 31 bits, and patched
 * words may wrap. Holds for nearly all blocks.
 */
function isNarrow(target: Target, block: Block): boolean {
  if (block.width > 32) return false;
  const reach = Math.max(Math.abs(block.base), Math.abs(block.base + itemAt(POWERS, block.width)));
  let sum = reach * block.count;
  let fitsWord = true;
  for (let i = 0; i < block.patches; i++) {
    const by = patchBy[i] ?? 0;
    sum += Math.abs(by);
    fitsWord &&= by >= 0 && by < WORD;
  }
  if (block.mode === PLAIN) return fitsWord;
  if (block.mode === DELTA) return sum < WORD / 2;
  return (sum + Math.abs(target.difference)) * block.count < WORD / 2;
}

function placeValues(target: Target, { from, count, base }: Block): void {
  const { out } = target;
  const { high, low } = target.factor;
  let value = 0;
  let previous = target.value;
  for (let i = 0; i < count; i++) {
    value = base + (words[i] ?? 0);
    out[from + i] = value * high + value * low;
  }
  if (count > 1) previous = base + (words[count - 2] ?? 0);
  target.difference = value - previous;
  target.value = value;
}

function addDifferences(target: Target, block: Block): void {
  const { out, value } = target;
  const { high, low } = target.factor;
  const { from, count } = block;
  const base = block.base | 0;
  let sum = 0;
  let difference = 0;
  for (let i = 0; i < count; i++) {
    difference = ((words[i] ?? 0) + base) | 0;
    sum = (sum + difference) | 0;
    const next = value + sum;
    out[from + i] = next * high + next * low;
  }
  target.value = value + sum;
  target.difference = difference;
}

function addCurvatures(target: Target, block: Block): void {
  const { out, value } = target;
  const { high, low } = target.factor;
  const { from, count } = block;
  const base = block.base | 0;
  let sum = 0;
  let difference = target.difference | 0;
  for (let i = 0; i < count; i++) {
    difference = (difference + (((words[i] ?? 0) + base) | 0)) | 0;
    sum = (sum + difference) | 0;
    const next = value + sum;
    out[from + i] = next * high + next * low;
  }
  target.value = value + sum;
  target.difference = difference;
}

/** The same for all modes in doubles, which hold every sum exactly. */
function addWide(target: Target, { from, count, mode, base, patches }: Block): void {
  const { out } = target;
  const { high, low } = target.factor;
  const end = from + count;
  for (let i = 0; i < count; i++) out[from + i] = (highWords[i] ?? 0) * WORD + (words[i] ?? 0) + base;
  for (let i = 0; i < patches; i++) {
    const at = from + (patchAt[i] ?? 0);
    out[at] = (out[at] ?? 0) + (patchBy[i] ?? 0);
  }
  let { value, difference } = target;
  for (let at = from; at < end; at++) {
    const residual = out[at] ?? 0;
    const next = mode === PLAIN ? residual : value + (mode === DELTA_OF_DELTA ? difference + residual : residual);
    difference = next - value;
    value = next;
    out[at] = next * high + next * low;
  }
  target.value = value;
  target.difference = difference;
}
