// QR codes (ISO/IEC 18004) of texts: bytes only, with error correction level M, which survives 15 % of damage. A small part of the
// standard is enough to show a phone a secret, and nobody else ever sees what is drawn.

import { itemAt } from "#core/item-at.ts";

/** Dark modules, row by row. */
export type QrCode = readonly (readonly boolean[])[];

/** By version, from 1: error correction codewords in a block, and blocks. */
const CHECK_WORDS = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];
/** The bits of level M are 00. */
const LEVEL = 0;

/** Throws a RangeError for a text that is too long: about 660 bytes. */
export function qrCode(text: string): QrCode {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((_, index) => bytes.length <= roomFor(index + 1)) + 1;
  if (version === 0) throw new RangeError("the text is too long for a QR code of 20 versions");
  const words = interleaved(dataWords(bytes, version), version);
  let best: QrCode | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let mask = 0; mask < MASKS.length; mask++) {
    const drawn = draw(words, version, mask);
    const penalty = penaltyOf(drawn);
    if (penalty < least) [best, least] = [drawn, penalty];
  }
  return best ?? [];
}

const sizeOf = (version: number): number => version * 4 + 17;
const lengthBits = (version: number): number => (version < 10 ? 8 : 16);

function dataCount(version: number): number {
  const checks = itemAt(CHECK_WORDS, version - 1) * itemAt(BLOCKS, version - 1);
  return Math.floor(rawBits(version) / 8) - checks;
}

const roomFor = (version: number): number => dataCount(version) - Math.ceil((4 + lengthBits(version)) / 8);

/** Modules that are no pattern of their own. */
function rawBits(version: number): number {
  let bits = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2;
    bits -= (25 * count - 10) * count - 55;
    if (version >= 7) bits -= 36;
  }
  return bits;
}

function dataWords(bytes: Uint8Array, version: number): readonly number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const room = dataCount(version);
  push(0, Math.min(4, room * 8 - bits.length));
  push(0, -bits.length & 7);
  const words = Array.from({ length: bits.length / 8 }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((word, bit) => (word << 1) | bit, 0),
  );
  for (let pad = 0xec; words.length < room; pad ^= 0xfd) words.push(pad);
  return words;
}

/** The words of all blocks in turn, then their error correction in turn. Later blocks may be one word longer. */
function interleaved(data: readonly number[], version: number): readonly number[] {
  const [count, checks] = [itemAt(BLOCKS, version - 1), itemAt(CHECK_WORDS, version - 1)];
  const short = Math.floor(data.length / count);
  const longer = data.length % count;
  const blocks: (readonly number[])[] = [];
  for (let from = 0, block = 0; block < count; block++) {
    const to = from + short + (block >= count - longer ? 1 : 0);
    blocks.push(data.slice(from, to));
    from = to;
  }
  const corrections = blocks.map((block) => remainder(block, generator(checks)));
  return [...inTurn(blocks, short + 1), ...inTurn(corrections, checks)];
}

function inTurn(blocks: readonly (readonly number[])[], length: number): readonly number[] {
  return Array.from({ length }, (_, at) => blocks.flatMap((block) => block[at] ?? [])).flat();
}

/** Of GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((b >>> bit) & 1) * a);
  return product & 255;
}

function generator(degree: number): readonly number[] {
  const factors: number[] = Array.from({ length: degree }, (_, at) => (at === degree - 1 ? 1 : 0));
  let root = 1;
  for (let turn = 0; turn < degree; turn++) {
    for (let at = 0; at < degree; at++) factors[at] = times(itemAt(factors, at), root) ^ (factors.at(at + 1) ?? 0);
    root = times(root, 2);
  }
  return factors;
}

function remainder(block: readonly number[], divisor: readonly number[]): readonly number[] {
  const rest = divisor.map(() => 0);
  for (const word of block) {
    const factor = word ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [at, one] of divisor.entries()) rest[at] = itemAt(rest, at) ^ times(one, factor);
  }
  return rest;
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function draw(words: readonly number[], version: number, mask: number): QrCode {
  const size = sizeOf(version);
  /** Undefined: free for data. */
  const grid: (boolean | undefined)[][] = Array.from({ length: size }, () => Array<boolean | undefined>(size));
  const set = (x: number, y: number, isDark: boolean) => {
    const row = grid[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = isDark;
  };
  drawPatterns(set, version);
  drawFormat(set, size, mask);
  if (version >= 7) drawVersion(set, size, version);
  const isMasked = MASKS[mask] ?? (() => false);
  let bit = 0;
  // Pairs of columns, and past column 6, which is a pattern.
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    const isUpward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++) {
      for (const x of [right, right - 1]) {
        const y = isUpward ? size - 1 - step : step;
        if (grid[y]?.[x] !== undefined) continue;
        const isSet = (((words.at(bit >>> 3) ?? 0) >>> (7 - (bit & 7))) & 1) === 1;
        bit++;
        set(x, y, isSet !== isMasked(x, y));
      }
    }
  }
  return grid.map((row) => row.map((module) => module === true));
}

type SetModule = (x: number, y: number, isDark: boolean) => void;

function drawPatterns(set: SetModule, version: number): void {
  const size = sizeOf(version);
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  const square = (x: number, y: number, reach: number, light: readonly number[]) => {
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++)
        set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, [2, 4]);
  const places = alignmentPlaces(version);
  const last = places.length - 1;
  for (const [row, y] of places.entries())
    for (const [column, x] of places.entries()) {
      const isCorner = (row === 0 && (column === 0 || column === last)) || (row === last && column === 0);
      if (!isCorner) square(x, y, 2, [1]);
    }
}

function alignmentPlaces(version: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const far = sizeOf(version) - 7;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => far - (count - 2 - at) * step)];
}

/** Which level and mask, twice. */
function drawFormat(set: SetModule, size: number, mask: number): void {
  const data = (LEVEL << 3) | mask;
  let rest = data;
  for (let turn = 0; turn < 10; turn++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  const isSet = (bit: number) => ((bits >>> bit) & 1) === 1;
  for (let bit = 0; bit < 15; bit++) {
    if (bit < 6) set(8, bit, isSet(bit));
    else if (bit < 8) set(8, bit + 1, isSet(bit));
    else if (bit === 8) set(7, 8, isSet(bit));
    else set(14 - bit, 8, isSet(bit));
    if (bit < 8) set(size - 1 - bit, 8, isSet(bit));
    else set(8, size - 15 + bit, isSet(bit));
  }
  set(8, size - 8, true);
}

function drawVersion(set: SetModule, size: number, version: number): void {
  let rest = version;
  for (let turn = 0; turn < 12; turn++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let bit = 0; bit < 18; bit++) {
    const [far, near] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
    set(far, near, ((bits >>> bit) & 1) === 1);
    set(near, far, ((bits >>> bit) & 1) === 1);
  }
}

/** Long runs and blocks of one colour are hard to read. Any mask is allowed, so the standard's other rules are left out. */
function penaltyOf(code: QrCode): number {
  let penalty = 0;
  const columns = code.map((_, x) => code.map((row) => row[x] === true));
  for (const line of [...code, ...columns]) {
    let run = 0;
    for (const [at, module] of line.entries()) {
      run = at > 0 && module === line[at - 1] ? run + 1 : 1;
      if (run === 5) penalty += 3;
      else if (run > 5) penalty += 1;
    }
  }
  for (let y = 1; y < code.length; y++)
    for (let x = 1; x < code.length; x++) {
      const module = code[y]?.[x];
      const isBlock = module === code[y]?.[x - 1] && module === code[y - 1]?.[x] && module === code[y - 1]?.[x - 1];
      if (isBlock) penalty += 3;
    }
  return penalty;
}
