// Amounts are whole millionths: of a currency, of a gram. Prices are millionths for a kilowatt-hour. Every amount is rounded
// once, where it arises, and only added afterwards: so sums do not depend on how they are grouped.

export const MILLION = 1_000_000;
/** Of a milliwatt-hour in a kilowatt-hour. */
const MILLIWATT_HOURS = 1_000_000;

export function millionths(amount: number): number {
  return Math.round(amount * MILLION) + 0;
}

/** What so many milliwatt-hours cost. */
export function amountOf(milliwattHours: number, price: number): number {
  return multiplyDivide(milliwattHours, price, MILLIWATT_HOURS);
}

/** factor * other / divisor, all whole, rounded half away from zero. */
export function multiplyDivide(factor: number, other: number, divisor: number): number {
  const product = factor * other;
  if (Math.abs(product) <= Number.MAX_SAFE_INTEGER) {
    const rest = product % divisor;
    const whole = (product - rest) / divisor;
    return Math.abs(rest) * 2 < divisor ? whole + 0 : whole + Math.sign(rest);
  }
  const exact = BigInt(factor) * BigInt(other);
  const by = BigInt(divisor);
  const rest = exact % by;
  const isUp = (rest < 0n ? -rest : rest) * 2n >= by;
  return Number(exact / by + (isUp ? (exact < 0n ? -1n : 1n) : 0n));
}
