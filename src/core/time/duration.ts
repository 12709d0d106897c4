/** Length of time in nanoseconds. Only `parseDuration` and the constants of this file make one. */
export type Duration = bigint & { readonly __unit: "ns" };

export const NO_TIME = 0n as Duration;

/** A year is 365 days. */
const NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
  ["d", 86_400_000_000_000n],
  ["y", 31_536_000_000_000_000n],
]);

/** The largest length that fits a signed 64-bit column, about 292 years. */
const LONGEST = 2n ** 63n - 1n;
const LONGEST_TEXT = 128;
const PART = /(\d+)(?:\.(\d+))?(ns|us|ms|s|m|h|d|y)/y;

/**
 * Reads `1s`, `1.5m`, `2h45m`; undefined for anything else, the empty text included.
 * Exact: fractions are decimal, and what is left below one nanosecond is cut off.
 */
export function parseDuration(text: string): Duration | undefined {
  const total = readNanoseconds(text);
  return total === undefined || total > LONGEST ? undefined : (total as Duration);
}

/** Says why `parseDuration` does not take the text; undefined when it does. */
export function durationProblem(text: string): string | undefined {
  const total = readNanoseconds(text);
  if (total === undefined) return "must be a duration such as 1s, 1.5m or 2h45m";
  return total > LONGEST ? "is too long: a duration is at most 106751d, about 292 years" : undefined;
}

function readNanoseconds(text: string): bigint | undefined {
  if (text === "" || text.length > LONGEST_TEXT) return undefined;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const [, whole = "", fraction = "", unit = ""] = PART.exec(text) ?? [];
    const size = NANOSECONDS.get(unit);
    if (size === undefined) return undefined;
    total += (BigInt(whole + fraction) * size) / 10n ** BigInt(fraction.length);
  }
  return total;
}

export function toMilliseconds(duration: Duration): number {
  return Number(duration / 1_000_000n);
}
