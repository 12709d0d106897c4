import type { Duration } from "./duration.ts";

const UNITS = [
  ["d", 86_400_000_000_000n],
  ["h", 3_600_000_000_000n],
  ["m", 60_000_000_000n],
  ["s", 1_000_000_000n],
  ["ms", 1_000_000n],
  ["us", 1_000n],
  ["ns", 1n],
] as const;

/** The shortest text that `parseDuration` reads as the same length: `2h45m`. No time is `0s`. */
export function formatDuration(duration: Duration): string {
  let rest: bigint = duration;
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    if (rest >= size) parts.push(`${rest / size}${unit}`);
    rest %= size;
  }
  return parts.join("") || "0s";
}
