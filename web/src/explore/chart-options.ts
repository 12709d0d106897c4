// How uPlot draws a chart model.
import uPlot from "uplot";
import type { Hours, Locale } from "#web/data/preferences.svelte.ts";
import { formatNumber } from "#web/i18n/format.ts";
import { digitsFor } from "./axes.ts";
import type { ChartModel, DrawnLine, LineRole } from "./chart-model.ts";
import { faded } from "./colors.ts";
import type { Range } from "./range.ts";
import { tickTexts } from "./time-ticks.ts";

export type Look = {
  readonly locale: Locale;
  readonly zone: string;
  readonly hours: Hours;
  readonly color: (variable: string) => string;
  readonly width: number;
  readonly height: number;
};

/** Axes beyond these have a scale, but no room for figures. */
const mostAxes = (width: number) => (width < 640 ? 2 : 4);
const FONT = '12px "IBM Plex Sans", system-ui, sans-serif';
const TOP = 24;

/** Two models with the same shape differ in their values alone. */
export function shapeOf({ lines, axes, colors }: ChartModel, { locale, zone, hours, width, color }: Look): string {
  return JSON.stringify([
    lines,
    axes,
    colors,
    locale,
    zone,
    hours,
    width < 640,
    color("--series-1"),
    color("--surface"),
  ]);
}

type Uses = {
  readonly model: ChartModel;
  readonly range: Range;
  readonly look: Look;
  readonly hooks: uPlot.Hooks.Arrays;
  readonly bind: uPlot.Cursor.Bind;
};

export function chartOptions({ model, range, look, hooks, bind }: Uses): uPlot.Options {
  const { color, width, height } = look;
  const scales: uPlot.Scales = { x: { time: true, min: range.from, max: range.to, auto: false } };
  for (const [index] of model.axes.entries()) scales[`y${index}`] = { auto: true };
  return {
    width,
    height,
    ms: 1,
    tzDate: (at) => uPlot.tzDate(new Date(at), look.zone),
    padding: [model.axes.length > 0 ? TOP : 4, null, null, null],
    legend: { show: false },
    focus: { alpha: 0.25 },
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 4 },
      points: {
        size: (_, index) => (isPointed(model.lines[index - 1]) ? 7 : 0),
        width: 0,
        fill: (_, index) => color(colorOf(model, model.lines[index - 1]?.series ?? 0)),
      },
      bind,
    },
    scales,
    axes: [timeAxis(look), ...model.axes.map((_, index) => valueAxis(index, model, look))],
    series: [{}, ...model.lines.map((line) => seriesOptions(line, model, look))],
    bands: bandsOf(model, color),
    hooks,
  };
}

const colorOf = ({ colors }: ChartModel, series: number) => colors[series] ?? "--series-1";
const isPointed = (line: DrawnLine | undefined) => line?.role === "main" || line?.role === "filled";

function timeAxis({ locale, zone, hours, color }: Look): uPlot.Axis {
  return {
    font: FONT,
    stroke: color("--muted"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line"), width: 1, size: 5 },
    space: 76,
    size: 46,
    gap: 5,
    values: (_, ticks, _axis, _space, step) => [...tickTexts(ticks, step, { locale, zone, hours })],
  };
}

function valueAxis(index: number, model: ChartModel, { locale, color, width }: Look): uPlot.Axis {
  const { axes } = model;
  const [only, ...others] = axes[index]?.series ?? [];
  return {
    show: index < mostAxes(width),
    scale: `y${index}`,
    side: index % 2 === 0 ? 3 : 1,
    font: FONT,
    // One series alone gives its axis its colour.
    stroke:
      axes.length > 1 && only !== undefined && others.length === 0 ? color(colorOf(model, only)) : color("--muted"),
    grid: { show: index === 0, stroke: color("--line"), width: 1 },
    ticks: { show: false },
    space: 38,
    gap: 6,
    size: (u, texts) => {
      u.ctx.font = FONT;
      const widest = Math.max(0, ...(texts ?? []).map((text) => u.ctx.measureText(text).width));
      return Math.ceil(Math.max(widest, 22)) + 16;
    },
    values: (_, ticks) => {
      const step = Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0));
      const digits = step > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(step) - 1e-9), 0), 8) : digitsFor(0);
      return ticks.map((tick) => formatNumber(tick, locale, digits));
    },
  };
}

const WIDTHS: Readonly<Record<LineRole, number>> = { main: 1.6, filled: 1.4, previous: 1.3, low: 0, high: 0 };

const isEdge = ({ role }: DrawnLine) => role === "low" || role === "high";
const isAloneEdge = (line: DrawnLine, { series }: ChartModel) =>
  isEdge(line) && series[line.series]?.info.aggregation === "min_max";
const widthOf = (line: DrawnLine, model: ChartModel) => (isAloneEdge(line, model) ? 1 : WIDTHS[line.role]);

/**
 * With more points than pixels a line is a band of zigzags. One pixel is enough for it: wider ones hide each other, and take the
 * processor several times as long. Call it before lines are drawn.
 */
export function fitWidths(u: uPlot, model: ChartModel): void {
  const [first, last] = u.series[0]?.idxs ?? [0, 0];
  const most = last - first > u.bbox.width ? 1 : Number.POSITIVE_INFINITY;
  for (const [index, line] of model.lines.entries()) {
    const series = u.series[index + 1];
    if (series !== undefined) series.width = Math.min(widthOf(line, model), most);
  }
}

function seriesOptions(line: DrawnLine, model: ChartModel, { color }: Look): uPlot.Series {
  const own = color(colorOf(model, line.series));
  const isAlone = isAloneEdge(line, model);
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const isPrevious = line.role === "previous";
  return {
    scale: `y${line.axis}`,
    // A band without a line in it is seen by its rims.
    stroke: isEdge(line) && !isAlone ? "transparent" : isPrevious ? faded(own, 0.62) : own,
    width: widthOf(line, model),
    ...(line.role === "filled" && { dash: [5, 4] }),
    ...(isPrevious && { dash: [2, 4] }),
    ...(line.isStepped && stepped && { paths: stepped }),
    ...(line.isStepped && line.role === "main" && { fill: faded(own, 0.14) }),
    points: {
      show: line.role === "main" || line.role === "previous",
      size: 5,
      fill: own,
      stroke: own,
      width: 0,
      filter: lonelyPoints,
    },
  };
}

/** A value between two gaps has no line, so it is a point. */
function lonelyPoints(u: uPlot, series: number): number[] | null {
  const column = u.data[series] ?? [];
  const found: number[] = [];
  const [from, to] = u.series[0]?.idxs ?? [0, column.length - 1];
  let hasBefore = false;
  let candidate = -1;
  for (let index = from; index <= to; index += 1) {
    const value = column[index];
    if (value === undefined) continue;
    if (value === null) {
      if (candidate >= 0 && !hasBefore) found.push(candidate);
      hasBefore = false;
      candidate = -1;
    } else {
      hasBefore = candidate >= 0;
      candidate = index;
    }
  }
  if (candidate >= 0 && !hasBefore) found.push(candidate);
  return found;
}

function bandsOf(model: ChartModel, color: Look["color"]): uPlot.Band[] {
  const { lines } = model;
  return lines.flatMap((line, index) => {
    const next = lines[index + 1];
    if (line.role !== "high" || next?.role !== "low") return [];
    return [
      { series: [index + 1, index + 2] as [number, number], fill: faded(color(colorOf(model, line.series)), 0.22) },
    ];
  });
}

/** The unit of each axis, above its figures. */
export function drawUnits(u: uPlot, { axes }: ChartModel, { color, width }: Look): void {
  const { ctx } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = FONT.replace("12px", `${12 * ratio}px`);
  ctx.fillStyle = color("--muted");
  ctx.textBaseline = "alphabetic";
  for (const [index, { symbol }] of axes.entries()) {
    const axis = u.axes[index + 1] as (uPlot.Axis & { _pos?: number }) | undefined;
    if (index >= mostAxes(width) || symbol === undefined || axis?._pos === undefined) continue;
    const isLeft = index % 2 === 0;
    ctx.textAlign = isLeft ? "right" : "left";
    // uPlot keeps where it put the axis.
    ctx.fillText(symbol, (axis._pos + (isLeft ? -6 : 6)) * ratio, u.bbox.top - 9 * ratio);
  }
  ctx.restore();
}
