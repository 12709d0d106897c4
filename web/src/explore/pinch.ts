// Two fingers on a chart: what was under each of them stays under it. So they move the chart, stretch it, or both.
import type { Range } from "./range.ts";

/** Places of the two fingers, in pixels from the left edge of the plot. */
export type Fingers = readonly [number, number];

/** Fingers closer than this cannot be told apart. */
const CLOSEST = 24;
const SHORTEST_MS = 1_000;

export function pinchedRange(range: Range, before: Fingers, after: Fingers, width: number): Range {
  const perPixel = (range.to - range.from) / Math.max(width, 1);
  const distance = (fingers: Fingers) => Math.max(Math.abs(fingers[1] - fingers[0]), CLOSEST);
  const scale = Math.max((perPixel * distance(before)) / distance(after), SHORTEST_MS / Math.max(width, 1));
  const middle = (fingers: Fingers) => (fingers[0] + fingers[1]) / 2;
  const from = range.from + perPixel * middle(before) - scale * middle(after);
  return { from, to: from + scale * width };
}
