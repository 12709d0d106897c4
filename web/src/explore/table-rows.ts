// The values of a chart as a table, and as CSV.
import { renderCsv } from "#web/data/csv.ts";
import { offsetAt } from "#web/i18n/format.ts";
import type { ChartModel, SeriesModel } from "./chart-model.ts";
import { type ControlStrip, controlColumns } from "./control-bands.ts";
import type { Points, Value } from "./read-items.ts";

export type TableColumn = {
  /** Index of the series. */
  readonly series: number;
  readonly part: "value" | "low" | "high" | "previous";
};

export type TableRow = { readonly at: number; readonly cells: readonly (Value | undefined)[] };

type Filled = { readonly column: TableColumn; readonly points: Points };

/** The columns of what is drawn: one for each series, and those of bands and of the period before. */
function columnsOf({ series }: ChartModel): readonly Filled[] {
  return series.flatMap((one, index): readonly Filled[] => {
    if (one.refusal !== undefined || one.info.spec.isHidden) return [];
    const column = (part: TableColumn["part"], points: Points | undefined): readonly Filled[] =>
      points === undefined ? [] : [{ column: { series: index, part }, points }];
    return [
      ...(one.info.aggregation === "min_max" ? [] : column("value", one.states ?? one.amounts)),
      ...column("low", one.band?.low),
      ...column("high", one.band?.high),
      ...column("previous", one.previous),
    ];
  });
}

/** A row for each moment that has a value in some column, in order of time. */
export function tableOf(model: ChartModel): {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
} {
  const filled = columnsOf(model);
  const rows = new Map<number, (Value | undefined)[]>();
  for (const [index, { points }] of filled.entries()) {
    for (const [place, at] of points.times.entries()) {
      let cells = rows.get(at);
      if (cells === undefined) {
        cells = new Array<Value | undefined>(filled.length).fill(undefined);
        rows.set(at, cells);
      }
      cells[index] = points.values[place];
    }
  }
  const sorted = [...rows].sort(([a], [b]) => a - b).map(([at, cells]) => ({ at, cells }));
  return { columns: filled.map(({ column }) => column), rows: sorted };
}

/** Times are RFC 3339 by the clock of the zone; figures are not rounded and have the unit of their column. */
export function renderTable(model: ChartModel, zone: string, strips: readonly ControlStrip[]): string {
  const { columns, rows } = tableOf(model);
  const controls = controlColumns(strips);
  const time = localTimes(zone);
  const names = columns.map((column) => columnName(model.series[column.series], column));
  return renderCsv(["time", ...names, ...controls.header], csvRows(withStarts(rows, controls.starts, names.length)));

  function* csvRows(all: readonly TableRow[]): Generator<readonly (Value | undefined)[]> {
    for (const { at, cells } of all) yield [time(at), ...cells, ...controls.cellsAt(at)];
  }
}

/** A row more for each of these moments that has none. */
function withStarts(rows: readonly TableRow[], starts: readonly number[], width: number): readonly TableRow[] {
  const known = new Set(rows.map(({ at }) => at));
  const more = [...new Set(starts)].filter((at) => !known.has(at));
  if (more.length === 0) return rows;
  const empty = new Array<undefined>(width).fill(undefined);
  return [...rows, ...more.map((at) => ({ at, cells: empty }))].sort((a, b) => a.at - b.at);
}

function columnName(series: SeriesModel | undefined, { part }: TableColumn): string {
  if (series === undefined) return part;
  const { spec, kind } = series.info;
  const aggregation =
    series.info.aggregation === "auto" ? (kind === "number" ? "avg" : "last") : series.info.aggregation;
  const word = part === "value" ? aggregation : { low: "min", high: "max", previous: `${aggregation} before` }[part];
  return `${spec.device}:${spec.attribute} ${word}${series.symbol === undefined ? "" : ` (${series.symbol})`}`;
}

const QUARTER = 900_000;

/** Clocks change at whole quarters of an hour: the offset of one is found once. */
function localTimes(zone: string): (at: number) => string {
  const known = new Map<number, number>();
  return (at) => {
    const quarter = Math.floor(at / QUARTER);
    let offset = known.get(quarter);
    if (offset === undefined) {
      offset = offsetAt(quarter * QUARTER, zone);
      known.set(quarter, offset);
    }
    const text = new Date(at + offset).toISOString().replace(".000Z", "Z").slice(0, -1);
    const minutes = Math.abs(Math.round(offset / 60_000));
    const two = (value: number) => String(value).padStart(2, "0");
    return offset === 0
      ? `${text}Z`
      : `${text}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  };
}
