export type Point = { readonly at: number; readonly value: number | undefined };

type Frame = { readonly from: number; readonly to: number; readonly width: number; readonly height: number };

/**
 * The paths of a small chart: a line for each stretch without a gap, and the areas below. `maxGap` ms without a point
 * are a gap. The scale begins at zero where all values have one sign.
 */
export function drawSparkline(
  points: readonly Point[],
  frame: Frame,
  maxGap: number,
): { readonly line: string; readonly area: string } {
  const known = points.filter(
    (point): point is { at: number; value: number } => point.value !== undefined && Number.isFinite(point.value),
  );
  if (known.length === 0) return { line: "", area: "" };
  const values = known.map(({ value }) => value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = high - low || 1;
  const x = (at: number) => round(((at - frame.from) / (frame.to - frame.from)) * frame.width);
  const y = (value: number) => round(frame.height - 2 - ((value - low) / span) * (frame.height - 4));
  let line = "";
  let area = "";
  let start: number | undefined;
  for (const [index, { at, value }] of known.entries()) {
    const before = known[index - 1];
    const isNew = before === undefined || at - before.at > maxGap;
    if (isNew && before !== undefined) area += closed(x(before.at), x(start ?? before.at), y(0));
    if (isNew) start = at;
    const place = `${x(at)} ${y(value)}`;
    line += `${isNew ? "M" : "L"}${place}`;
    area += isNew ? `M${x(at)} ${y(0)}L${place}` : `L${place}`;
  }
  const last = known.at(-1);
  if (last !== undefined) area += closed(x(last.at), x(start ?? last.at), y(0));
  return { line, area };
}

const closed = (end: number, begin: number, base: number) => `L${end} ${base}L${begin} ${base}Z`;
const round = (value: number) => Math.round(value * 10) / 10;
