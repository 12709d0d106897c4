// Everything that a chart draws, from the answers of the service. Pure.
import { unitSymbol } from "#web/data/show-value.ts";
import { axesOf, type Conversion, conversionTo } from "./axes.ts";
import { alignLines, type Line, splitFilled, withGaps } from "./lines.ts";
import type { Answer, Points, Refusal } from "./read-items.ts";
import { seriesColors } from "./series-colors.ts";
import type { SeriesInfo } from "./series-info.ts";
import { type Stretch, stretches } from "./state-bands.ts";

export type ReadSeries = {
  readonly info: SeriesInfo;
  readonly main: Answer;
  /** The least and the greatest value of each bucket, or how many there were. */
  readonly helping: Answer | undefined;
  /** Of the period before, with its own times. */
  readonly previous: Answer | undefined;
};

/** How a line looks. `edge` is the rim of a band, which is not drawn itself. */
export type LineRole = "main" | "filled" | "previous" | "low" | "high";

export type DrawnLine = {
  /** Index of the series, which gives it its colour. */
  readonly series: number;
  readonly role: LineRole;
  readonly axis: number;
  readonly isStepped: boolean;
};

type ShownAxis = { readonly symbol: string | undefined; readonly series: readonly number[] };

type Summary = {
  readonly least: number;
  readonly greatest: number;
  readonly mean: number;
  readonly last: number;
  readonly lastAt: number;
};

export type SeriesModel = {
  readonly info: SeriesInfo;
  readonly refusal: Refusal | undefined;
  /** In the unit of the axis. Undefined for states. */
  readonly amounts: Points<number> | undefined;
  readonly band: { readonly low: Points<number>; readonly high: Points<number> } | undefined;
  readonly previous: Points<number> | undefined;
  readonly summary: Summary | undefined;
  readonly symbol: string | undefined;
  /** Of states. */
  readonly states: Points | undefined;
  readonly stretches: readonly Stretch[];
  /** Neither values nor a refusal. */
  readonly isEmpty: boolean;
};

export type ChartModel = {
  readonly series: readonly SeriesModel[];
  readonly axes: readonly ShownAxis[];
  readonly lines: readonly DrawnLine[];
  /** For uPlot: times, then a column for each line. */
  readonly data: readonly [readonly number[], ...(readonly (number | null | undefined)[])[]];
  readonly bucketMs: number;
  /** Variables of the design, one for each series. */
  readonly colors: readonly string[];
};

type Frame = {
  readonly bucketMs: number;
  readonly end: number /** How much later the period before is drawn. */;
  readonly shift: number;
};

const NONE: readonly Points[] = [];
const pointsOf = (answer: Answer | undefined): readonly Points[] =>
  answer !== undefined && "points" in answer ? answer.points : NONE;

export function chartModel(read: readonly ReadSeries[], frame: Frame): ChartModel {
  const amounts = read.map(({ info, main }) =>
    info.kind === "number"
      ? numbersOf(info.aggregation === "min_max" ? joined(pointsOf(main)) : pointsOf(main)[0])
      : undefined,
  );
  const drawn = read.flatMap(({ info }, index) => {
    const points = amounts[index];
    return info.kind !== "number" || points === undefined || info.spec.isHidden ? [] : [index];
  });
  const axes = axesOf(
    drawn.map((index) => {
      const info = read[index]?.info;
      const { least, greatest } = extentOf(amounts[index]?.values ?? []);
      const size = least > greatest ? 0 : Math.max(Math.abs(least), Math.abs(greatest));
      return { unit: info?.unit, autoScale: info?.autoScale ?? [], size };
    }),
  );
  const axisOf = new Map(
    axes.flatMap(({ members }, axis) => members.map((member) => [drawn[member] ?? 0, axis] as const)),
  );
  const symbols = axes.map(({ unit, members }) => {
    const info = read[drawn[members[0] ?? 0] ?? 0]?.info;
    return unitSymbol(unit, info?.device?.manifest.units);
  });

  const lines: DrawnLine[] = [];
  const drawnLines: Line[] = [];
  const series = read.map((one, index): SeriesModel => {
    const { info, main } = one;
    const bucketMs = info.buckets?.ms ?? frame.bucketMs;
    const points = amounts[index];
    const axis = axisOf.get(index);
    const conversion = conversionTo(info.unit, axis === undefined ? info.unit : axes[axis]?.unit);
    const symbol = axis === undefined ? unitSymbol(info.unit, info.device?.manifest.units) : symbols[axis];
    const measured = info.spec.fill === undefined ? undefined : measuredTimes(one.helping);
    const shown = points === undefined ? undefined : converted(points, conversion);
    const band = bandOf(one, conversion);
    const previous = previousOf(one, conversion, frame.shift);
    const draw = (role: LineRole, line: Line) => {
      if (axis === undefined) return;
      lines.push({ series: index, role, axis, isStepped: info.isStepped });
      drawnLines.push(line);
    };
    if (shown !== undefined) {
      if (band !== undefined) {
        draw("high", withGaps(band.high, bucketMs));
        draw("low", withGaps(band.low, bucketMs));
      }
      if (previous !== undefined) draw("previous", withGaps(previous, bucketMs));
      if (info.aggregation !== "min_max") {
        if (measured === undefined) draw("main", withGaps(shown, bucketMs));
        else {
          const { solid, dashed } = splitFilled(shown, measured);
          draw("filled", dashed);
          draw("main", solid);
        }
      }
    }
    const states = info.kind === "state" ? pointsOf(main)[0] : undefined;
    const refusal = "refusal" in main ? main.refusal : undefined;
    return {
      info,
      refusal,
      amounts: shown,
      band,
      previous,
      summary: points === undefined ? undefined : summaryOf(points, conversion, band),
      symbol,
      states,
      stretches: states === undefined ? [] : stretches(states, { ...frame, bucketMs, measured }),
      isEmpty: refusal === undefined && (shown?.times.length ?? 0) === 0 && (states?.times.length ?? 0) === 0,
    };
  });
  const { times, columns } = alignLines(drawnLines);
  return {
    series,
    axes: axes.map(({ members }, index) => ({
      symbol: symbols[index],
      series: members.map((member) => drawn[member] ?? 0),
    })),
    lines,
    data: [times, ...columns],
    bucketMs: frame.bucketMs,
    colors: seriesColors(read.map(({ info }) => info)),
  };
}

/** The service gives numbers as numbers: copying 100,000 of them would only cost time. */
function numbersOf(points: Points | undefined): Points<number> | undefined {
  if (points === undefined) return undefined;
  const areNumbers = (values: readonly unknown[]): values is readonly number[] =>
    values.every((value) => typeof value === "number");
  const { times, values } = points;
  return { times, values: areNumbers(values) ? values : values.map(Number) };
}

/** Least and greatest together, to find the size of their axis. The middle stands for them in a table. */
function joined([low, high]: readonly Points[]): Points | undefined {
  if (low === undefined || high === undefined) return low;
  return {
    times: low.times,
    values: low.values.map((value, index) => (Number(value) + Number(high.values[index] ?? value)) / 2),
  };
}

type Extent = { readonly least: number; readonly greatest: number; readonly mean: number };

/** Asked for by the axis and by the table: 100,000 values are looked at once. */
const extents = new WeakMap<readonly number[], Extent>();

/** Of the finite values. Without any, the least is infinite, and so is the greatest below zero. */
function extentOf(values: readonly number[]): Extent {
  const known = extents.get(values);
  if (known !== undefined) return known;
  let [least, greatest, sum, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    sum += value;
    count += 1;
  }
  const extent = { least, greatest, mean: sum / count };
  extents.set(values, extent);
  return extent;
}

function converted({ times, values }: Points<number>, { factor, offset }: Conversion): Points<number> {
  return factor === 1 && offset === 0
    ? { times, values }
    : { times, values: values.map((value) => offset + factor * value) };
}

function bandOf({ info, main, helping }: ReadSeries, conversion: Conversion): SeriesModel["band"] {
  const [low, high] = pointsOf(info.aggregation === "min_max" ? main : helping);
  if (info.kind !== "number" || low === undefined || high === undefined) return undefined;
  const [least, greatest] = [numbersOf(low), numbersOf(high)];
  return least && greatest && { low: converted(least, conversion), high: converted(greatest, conversion) };
}

function previousOf({ info, previous }: ReadSeries, conversion: Conversion, shift: number): Points<number> | undefined {
  const points =
    info.kind === "number"
      ? numbersOf(info.aggregation === "min_max" ? joined(pointsOf(previous)) : pointsOf(previous)[0])
      : undefined;
  if (points === undefined || points.times.length === 0) return undefined;
  const { values } = converted(points, conversion);
  return { times: points.times.map((at) => at + shift), values };
}

/** The buckets that hold a measured value; undefined when it is not known. */
function measuredTimes(helping: Answer | undefined): ReadonlySet<number> | undefined {
  const [first] = pointsOf(helping);
  return first === undefined ? undefined : new Set(first.times);
}

function summaryOf(
  { times, values }: Points<number>,
  { factor, offset }: Conversion,
  band: SeriesModel["band"],
): Summary | undefined {
  const [last, lastAt] = [values.at(-1), times.at(-1)];
  if (last === undefined || lastAt === undefined) return undefined;
  const extent = extentOf(values);
  const shown = (value: number) => offset + factor * value;
  const ends = [shown(extent.least), shown(extent.greatest)];
  if (band !== undefined) ends.push(extentOf(band.low.values).least, extentOf(band.high.values).greatest);
  return {
    least: Math.min(...ends),
    greatest: Math.max(...ends),
    mean: shown(extent.mean),
    last: shown(last),
    lastAt,
  };
}
