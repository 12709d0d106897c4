// Time series on a terminal: numbers as lines of braille dots on a common scale per unit, everything else as strips of states.
import { styleText } from "node:util";
import { displayWidth } from "#cli/display-width.ts";
import { printable } from "#core/text/printable.ts";
import { BrailleCanvas } from "./braille-canvas.ts";
import { timeTicks, valueLabel, valueTicks } from "./ticks.ts";

export type ChartSeries = {
  readonly name: string;
  readonly unit: string | undefined;
  /** Length of a bucket: a wider gap between two points is a gap in the line. */
  readonly stepMs: number;
  readonly points: readonly { readonly at: number; readonly value: number | string | boolean }[];
};

export type ChartFrame = {
  /** Unix milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly columns: number;
  readonly colour: boolean;
};

type Style = Parameters<typeof styleText>[0];
const PENS: readonly Style[] = ["cyan", "yellow", "magenta", "green", "blue", "red", "white", "gray"];
const ROWS = 12;
/** A line that spans more buckets than this is broken: nothing was known in between. */
const BROKEN_AFTER = 1.5;

export function renderChart(series: readonly ChartSeries[], frame: ChartFrame): string {
  const painted = series.map((one, index) => ({ ...one, pen: index + 1 }));
  const lines: string[] = [];
  const isNumeric = ({ points }: ChartSeries) =>
    points.length > 0 && points.every(({ value }) => typeof value === "number");
  const units = new Set(painted.filter(isNumeric).map(({ unit }) => unit));
  for (const unit of units) {
    lines.push(
      ...lineChart(
        painted.filter((one) => isNumeric(one) && one.unit === unit),
        { unit, ...frame },
      ),
      "",
    );
  }
  const states = painted.filter((one) => !isNumeric(one) && one.points.length > 0);
  if (states.length > 0) lines.push(...stateStrips(states, frame), "");
  const empty = painted.filter(({ points }) => points.length === 0);
  if (empty.length > 0) lines.push(`nothing known: ${empty.map(({ name }) => printable(name)).join(", ")}`, "");
  return lines.join("\n").trimEnd();
}

type Painted = ChartSeries & { readonly pen: number };

function paint(text: string, pen: number, colour: boolean): string {
  const style = pen === 0 ? undefined : PENS[(pen - 1) % PENS.length];
  return colour && style !== undefined && text.trim() !== "" ? styleText(style, text, { validateStream: false }) : text;
}

const dim = (text: string, colour: boolean) => (colour ? styleText("dim", text, { validateStream: false }) : text);

function lineChart(series: readonly Painted[], frame: ChartFrame & { readonly unit: string | undefined }): string[] {
  const { from, to, columns, colour, unit } = frame;
  const values = series.flatMap(({ points }) => points.map(({ value }) => Number(value)));
  const [low, high] = scaleOf(values);
  const ticks = valueTicks(low, high, 5);
  const labels = new Map(ticks.map((tick) => [tick, valueLabel(tick, ticks)]));
  const gutter = Math.max(...[...labels.values()].map((label) => label.length), 1);
  const width = Math.max(10, columns - gutter - 3);
  const canvas = new BrailleCanvas(width, ROWS);
  const x = (at: number) => Math.round(((at - from) / (to - from)) * (canvas.width - 1));
  const y = (value: number) => Math.round(((high - value) / (high - low)) * (canvas.height - 1));
  for (const { points, pen, stepMs } of series) {
    for (const [i, { at, value }] of points.entries()) {
      const here = [x(at), y(Number(value))] as const;
      const before = points[i - 1];
      if (before !== undefined && at - before.at <= stepMs * BROKEN_AFTER) {
        canvas.line([x(before.at), y(Number(before.value))], here, pen);
      } else canvas.dot(...here, pen);
    }
  }
  const tickRows = new Map(ticks.map((tick) => [y(tick) >> 2, labels.get(tick) ?? ""]));
  const body = Array.from({ length: ROWS }, (_, row) => {
    const label = tickRows.get(row);
    const axis = dim(`${(label ?? "").padStart(gutter)} ${label === undefined ? "│" : "┤"}`, colour);
    return `${axis}${canvas.row(row, (text, pen) => paint(text, pen, colour))}`.trimEnd();
  });
  return [...legend(series, unit, colour), ...body, ...timeAxis(frame, width, gutter)];
}

/** Some room above and below; a flat line lies in the middle. */
function scaleOf(values: readonly number[]): readonly [number, number] {
  const low = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const room = high > low ? (high - low) * 0.05 : Math.abs(high) * 0.1 || 1;
  // Zero is a better floor than a little above it.
  const floor = low >= 0 && low - room < (high - low) * 0.2 ? Math.min(0, low) : low - room;
  return [floor, high + room];
}

function legend(series: readonly Painted[], unit: string | undefined, colour: boolean): string[] {
  const names = series.map(({ name, pen, points }) => {
    const last = points.at(-1);
    const now = last === undefined ? "" : ` ${Number(Number(last.value).toPrecision(6))}`;
    return `${paint("━━", pen, colour)} ${printable(name)}${now}`;
  });
  return [`${unit === undefined ? "" : `[${printable(unit)}]  `}${names.join("   ")}`];
}

function timeAxis({ from, to, colour }: ChartFrame, width: number, gutter: number): string[] {
  const ticks = timeTicks(from, to, Math.max(1, Math.floor(width / 12)));
  const rule = Array<string>(width).fill("─");
  const labels = Array<string>(width).fill(" ");
  let free = 0;
  for (const { at, label } of ticks) {
    const column = Math.min(width - 1, Math.round(((at - from) / (to - from)) * (width - 1)));
    rule[column] = "┬";
    const start = Math.max(free, Math.min(width - label.length, column - (label.length >> 1)));
    if (start < free || start + label.length > width) continue;
    for (const [i, letter] of [...label].entries()) labels[start + i] = letter;
    free = start + label.length + 1;
  }
  const indent = " ".repeat(gutter + 1);
  return [dim(`${indent}└${rule.join("")}`, colour), dim(`${indent} ${labels.join("")}`.trimEnd(), colour)];
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const OTHERS = "*";
/** States that are distinguished, by letters or by the available colours: the most frequent ones. */
const MOST_STATES = 8;
const LONGEST_STATE = 40;

/** What was the case when, as a strip of one letter or colour for each state. */
function stateStrips(series: readonly Painted[], frame: ChartFrame): string[] {
  const { from, to, columns, colour } = frame;
  const gutter = Math.min(30, Math.max(...series.map(({ name }) => displayWidth(name))));
  const width = Math.max(10, columns - gutter - 3);
  const lines: string[] = [];
  for (const { name, points, stepMs } of series) {
    const { states, others } = statesOf(points.map(({ value }) => String(value)));
    const cells = Array<number>(width).fill(-1);
    for (const { at, value } of points) {
      const first = Math.floor(((at - from) / (to - from)) * width);
      const last = Math.max(first, Math.ceil(((at + stepMs - from) / (to - from)) * width) - 1);
      const state = states.indexOf(String(value));
      for (let column = Math.max(0, first); column <= Math.min(width - 1, last); column++) {
        cells[column] = state < 0 ? states.length : state;
      }
    }
    const mark = (state: number) =>
      state === states.length ? OTHERS : paint(colour ? "█" : (LETTERS[state] ?? "?"), state + 1, colour);
    const strip = cells.map((state) => (state < 0 ? " " : mark(state)));
    const shown = printable(name).slice(0, gutter).padEnd(gutter);
    lines.push(`${shown} ${dim("│", colour)}${strip.join("").trimEnd()}`);
    const key = states.map((state, i) => `${mark(i)} ${cut(printable(state)) || '""'}`);
    if (others > 0) key.push(`${OTHERS} ${others} others`);
    lines.push(`${" ".repeat(gutter + 2)}${key.join("  ")}`);
  }
  return [...lines, ...timeAxis(frame, width, gutter)];
}

/** The states in the order of their first coming, and how many are left out because there are too many. */
function statesOf(values: readonly string[]): { readonly states: readonly string[]; readonly others: number } {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const frequent = new Set(
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, MOST_STATES)
      .map(([state]) => state),
  );
  return { states: [...counts.keys()].filter((state) => frequent.has(state)), others: counts.size - frequent.size };
}

function cut(text: string): string {
  return text.length > LONGEST_STATE ? `${text.slice(0, LONGEST_STATE - 3)}...` : text;
}
