// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { itemAt } from "#core/item-at.ts";
import { type Before, BLOCK, DELTA, DELTA_OF_DELTA, MAX_PATCHES, MAX_WIDTH, PLAIN } from "./blocks.ts";

/** The cheapest way to store a block. `patches` are the positions of the residuals outside [base, base + 2^width). */
export type Plan = {
  readonly mode: number;
  /** The first `count` of these. */
  readonly residuals: Float64Array;
  readonly count: number;
  readonly base: number;
  readonly width: number;
  readonly patches: readonly number[];
};

type Packing = { readonly base: number; readonly width: number; readonly limit: number; readonly bits: number };

const differences = new Float64Array(BLOCK);
const curvatures = new Float64Array(BLOCK);
const lengths = new Uint8Array(BLOCK);
const histogram = new Uint32Array(64);
const NO_LIMIT = 64;

/** `values` are those of one block; `before` moves on past them. The plan's residuals may alias `values` and hold until the next call. */
export function planBlock(values: Float64Array, before: Before): Plan {
  const count = values.length;
  let value = before.value;
  let difference = before.difference;
  for (let i = 0; i < count; i++) {
    const next = values[i] ?? 0;
    const nextDifference = next - value;
    differences[i] = nextDifference;
    curvatures[i] = nextDifference - difference;
    value = next;
    difference = nextDifference;
  }
  before.value = value;
  before.difference = difference;
  let mode = PLAIN;
  let residuals = values;
  let best = choosePacking(values, count);
  const delta = best.width > 0 ? choosePacking(differences, count) : best;
  if (delta.bits < best.bits) {
    mode = DELTA;
    residuals = differences;
    best = delta;
  }
  // An outlier spoils three differences of differences, so patches seldom help them more than they help the others.
  const deltaOfDelta = best.width > 0 ? chooseWhole(curvatures, count) : best;
  if (deltaOfDelta.bits < best.bits) {
    mode = DELTA_OF_DELTA;
    residuals = curvatures;
    best = choosePatched(curvatures, count, deltaOfDelta) ?? deltaOfDelta;
  }
  const patches: number[] = [];
  if (best.limit < NO_LIMIT) {
    const center = centerOf(residuals, count);
    for (let i = 0; i < count; i++) if (bitLength(Math.abs((residuals[i] ?? 0) - center)) > best.limit) patches.push(i);
  }
  return { mode, residuals, count, base: best.base, width: best.width, patches };
}

/** Bits that a whole number from 0 to 2^53 needs. */
function bitLength(value: number): number {
  return value < 2 ** 32 ? 32 - Math.clz32(value) : 64 - Math.clz32(value / 2 ** 32);
}

function choosePacking(residuals: Float64Array, count: number): Packing {
  const whole = chooseWhole(residuals, count);
  return choosePatched(residuals, count, whole) ?? whole;
}

function chooseWhole(residuals: Float64Array, count: number): Packing {
  let min = itemAt(residuals, 0);
  let max = min;
  for (let i = 1; i < count; i++) {
    const residual = residuals[i] ?? 0;
    if (residual < min) min = residual;
    else if (residual > max) max = residual;
  }
  const width = bitLength(max - min);
  return { base: min, width, limit: NO_LIMIT, bits: width > MAX_WIDTH ? Number.POSITIVE_INFINITY : count * width };
}

/** Leaves out what lies 2^limit or further from a typical residual, when listing those costs less than widening all. */
function choosePatched(residuals: Float64Array, count: number, whole: Packing): Packing | undefined {
  if (whole.width <= 2 || whole.width > MAX_WIDTH || count <= 8) return undefined;
  const center = centerOf(residuals, count);
  histogram.fill(0);
  for (let i = 0; i < count; i++) {
    const length = bitLength(Math.abs((residuals[i] ?? 0) - center));
    lengths[i] = length;
    histogram[length] = (histogram[length] ?? 0) + 1;
  }
  const patchBits = 8 + 8 * Math.ceil((whole.width + 2) / 7);
  let limit = NO_LIMIT;
  let bits = whole.bits;
  let patches = 0;
  for (let tried = whole.width; tried >= 0 && patches <= MAX_PATCHES; tried--) {
    const cost = count * (tried === 0 ? 0 : tried + 0.5) + patches * patchBits + 8;
    if (patches > 0 && cost < bits) {
      limit = tried;
      bits = cost;
    }
    patches += itemAt(histogram, tried);
  }
  if (limit === NO_LIMIT) return undefined;
  let min = center;
  let max = center;
  patches = 0;
  for (let i = 0; i < count; i++) {
    if ((lengths[i] ?? 0) > limit) {
      patches++;
      continue;
    }
    const residual = residuals[i] ?? 0;
    if (residual < min) min = residual;
    else if (residual > max) max = residual;
  }
  const width = bitLength(max - min);
  bits = count * width + patches * patchBits + 8;
  return bits < whole.bits ? { base: min, width, limit, bits } : undefined;
}

/** The median of three, which a few outliers seldom reach. */
function centerOf(residuals: Float64Array, count: number): number {
  const a = itemAt(residuals, count >> 2);
  const b = itemAt(residuals, count >> 1);
  const c = itemAt(residuals, count - 1);
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
