// Values on a grid of times as paths of SVG. Pure.

export type Column = readonly (number | undefined)[];

/** Where a bucket begins, has its middle and ends, and where a value is, in pixels. */
export type Places = {
  readonly start: (index: number) => number;
  readonly middle: (index: number) => number;
  readonly end: (index: number) => number;
  readonly y: (value: number) => number;
};

/** A value that holds for a time, in Unix ms. */
export type Step = { readonly from: number; readonly to: number; readonly value: number };

/** A line of steps. It breaks where a step does not begin with the end of the one before. */
export function stepPath(steps: readonly Step[], x: (at: number) => number, y: (value: number) => number): string {
  return steps
    .map(({ from, to, value }, index) => {
      const start = steps[index - 1]?.to === from ? `V${round(y(value))}` : `M${round(x(from))} ${round(y(value))}`;
      return `${start}H${round(x(to))}`;
    })
    .join("");
}

/** The stretches of indices without a gap, the last index included. Gaps of at most `bridged` buckets are no gaps. */
export function runsOf(column: Column, bridged = 0): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const [index, value] of column.entries()) {
    if (value === undefined) continue;
    const last = runs.at(-1);
    if (last !== undefined && index - last[1] <= bridged + 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}

/** A line through the middles of the buckets, as long as the buckets are: a single value is a short line. */
export function linePath(column: Column, places: Places, bridged = 0): string {
  return runsOf(column, bridged)
    .map(([first, last]) => `M${forward(column, places, first, last).join("L")}`)
    .join("");
}

/** The area between two columns. Where one of them has no value, there is no area. */
export function areaPath(low: Column, high: Column, places: Places): string {
  const both = high.map((value, index) => (low[index] === undefined ? undefined : value));
  return runsOf(both)
    .map(([first, last]) => {
      const rim = [...forward(both, places, first, last), ...forward(low, places, first, last).reverse()];
      return `M${rim.join("L")}Z`;
    })
    .join("");
}

function forward(column: Column, { start, middle, end, y }: Places, first: number, last: number): string[] {
  const points: string[] = [];
  for (let index = first; index <= last; index += 1) {
    const value = column[index];
    if (value === undefined) continue;
    const height = round(y(value));
    if (index === first) points.push(`${round(start(index))} ${height}`);
    points.push(`${round(middle(index))} ${height}`);
    if (index === last) points.push(`${round(end(index))} ${height}`);
  }
  return points;
}

const round = (value: number) => Math.round(value * 10) / 10;
