/** Length of time in nanoseconds. Only `parseDuration` makes one. */
export type Duration = bigint & { readonly __unit: "ns" };

/** Nanoseconds per unit. A year is 365 days. */
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
  ["d", 86_400_000_000_000n],
  ["y", 31_536_000_000_000_000n],
]);
const PART = /(\d{1,18})(?:\.(\d{1,18}))?(ns|us|ms|s|m|h|d|y)/y;

/** Reads decimal numbers with unit suffixes such as `1s`, `1.5m`, `2h45m`; undefined when the text is anything else. */
export function parseDuration(text: string): Duration | undefined {
  let total = 0n;
  PART.lastIndex = 0;
  do {
    const [, whole, fraction = "", unit] = PART.exec(text) ?? [];
    const size = UNITS.get(unit ?? "");
    if (whole === undefined || size === undefined) return undefined;
    total += BigInt(whole) * size + (BigInt(fraction || "0") * size) / 10n ** BigInt(fraction.length);
  } while (PART.lastIndex < text.length);
  return total as Duration;
}

export function toMilliseconds(duration: Duration): number {
  return Number(duration / 1_000_000n);
}

export function toMilliseconds(duration: Duration): number {
  return Number(duration / 1_000_000n);
}
