const SCALE_BITS = 1_074n;

/** The sum over the divisor as a fraction of big integers, rounded to a double once. */
export function exactQuotient(values: readonly number[], divisor: number): number {
  const total = values.reduce((sum, value) => sum + scaled(value), 0n);
  return roundedQuotient(total, BigInt(divisor) << SCALE_BITS);
}

/** The sum of the products over the divisor, rounded once. */
export function exactProducts(pairs: readonly (readonly [number, number])[], divisor: number): number {
  const total = pairs.reduce((sum, [a, b]) => sum + scaled(a) * scaled(b), 0n);
  return roundedQuotient(total, BigInt(divisor) << (2n * SCALE_BITS));
}

/** A double as a whole number of 2^-1074. */
function scaled(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  const magnitude = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1);
  return bits >> 63n ? -magnitude : magnitude;
}

function roundedQuotient(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -roundedQuotient(-numerator, denominator);
  if (numerator === 0n) return 0;
  const shift = 80n + BigInt(denominator.toString(2).length - numerator.toString(2).length);
  const [above, below] = shift >= 0n ? [numerator << shift, denominator] : [numerator, denominator << -shift];
  // 80 significant bits, the last one set when anything is left: Number() then rounds as the exact value would.
  const quotient = above / below;
  return Number(above % below === 0n ? quotient : quotient | 1n) / 2 ** Number(shift);
}
