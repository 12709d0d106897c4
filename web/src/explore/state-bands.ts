// Values that are no amounts (modes, switches, texts) as stretches of time.
import { longestStep, usualStep } from "./lines.ts";
import type { Points, Value } from "./read-items.ts";

export type Stretch = {
  readonly from: number;
  readonly to: number;
  readonly value: Value;
  /** Carried on, not measured. */
  readonly isFilled: boolean;
};

/** Equal values after one another are one stretch. It ends with the next value, or soon after the last one before a gap. */
export function stretches(
  { times, values }: Points,
  {
    bucketMs,
    end,
    measured,
  }: { readonly bucketMs: number; readonly end: number; readonly measured?: ReadonlySet<number> | undefined },
): readonly Stretch[] {
  const usual = usualStep(times, bucketMs);
  const longest = longestStep(times, bucketMs);
  const found: { from: number; to: number; value: Value; isFilled: boolean }[] = [];
  for (const [index, at] of times.entries()) {
    const value = values[index];
    if (value === undefined) continue;
    const next = times[index + 1];
    const to = next !== undefined && next - at <= longest ? next : Math.min(at + usual, Math.max(end, at));
    const isFilled = measured !== undefined && !measured.has(at);
    const last = found.at(-1);
    if (last !== undefined && last.to === at && last.value === value && last.isFilled === isFilled) last.to = to;
    else found.push({ from: at, to, value, isFilled });
  }
  return found;
}
