// The simplest way to answer a query, as a reference for the engine: every rule of buckets and gap filling in a few
// lines, with all points in a map and all sums in exact fractions.

import { type Integral, isIntegral } from "#core/telemetry/aggregation.ts";
import { calendarGrid } from "#core/time/calendar.ts";
import type { Scalar } from "#store/series/batch.ts";
import type { SeriesItem, SeriesQuery } from "#store/series/query.ts";
import { exactProducts, exactQuotient } from "./exact-quotient.ts";

/** Series to time to value. */
export type Points = Map<number, Map<number, Scalar>>;

export function answerNaively(points: Points, query: SeriesQuery): string {
  const columns = query.items.map((item) => answerColumn(points.get(item.series ?? -1) ?? new Map(), query, item));
  const starts = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort((a, b) => a - b);
  const isWhole = query.items.every((item) => item.granularityMs % 1_000 === 0);
  return starts
    .map((start) => {
      const time = isWhole ? String(start / 1_000) : (start / 1_000).toFixed(3);
      return `${[time, ...columns.map((column) => renderCell(column.get(start)))].join(",")}\n`;
    })
    .join("");
}

function answerColumn(points: Map<number, Scalar>, { from, to }: SeriesQuery, item: SeriesItem): Map<number, Scalar> {
  const { lookAroundMs, aggregation } = item;
  const bucketAt = gridOf(item);
  const startOf = (at: number) => bucketAt(at).start;
  const sorted = [...points].sort(([a], [b]) => a - b);
  if (isIntegral(aggregation)) {
    const part = sorted.map(([at, value]) => [at, partOf(aggregation, Number(value))] as const);
    return integrate(part, { from, to }, bucketAt);
  }
  const buckets = new Map<number, Scalar[]>();
  for (const [at, value] of sorted) {
    if (at < from || at >= to) continue;
    const start = startOf(at);
    buckets.set(start, [...(buckets.get(start) ?? []), value]);
  }
  const answer = new Map<number, Scalar>();
  const last = sorted.filter(([at]) => at < from).at(-1)?.[1];
  let base = last === undefined ? undefined : Number(last);
  for (const [start, values] of buckets) {
    answer.set(start, aggregation === "delta" ? rise(base, values) : aggregate(aggregation, values));
    base = Number(values.at(-1));
  }
  if (lookAroundMs === undefined || aggregation === "delta") return answer;
  const before = sorted.filter(([at]) => at < from && at >= from - lookAroundMs).at(-1);
  let carried = before === undefined ? undefined : aggregation === "count" ? 1 : before[1];
  for (let start = startOf(from); start < to; start = bucketAt(start).end) {
    carried = answer.get(start) ?? carried;
    if (carried !== undefined) answer.set(start, carried);
  }
  return answer;
}

function gridOf({ granularityMs, calendar }: SeriesItem) {
  if (calendar !== undefined) return calendarGrid(calendar).bucketAt;
  return (at: number) => {
    const start = Math.floor(at / granularityMs) * granularityMs;
    return { start, end: start + granularityMs };
  };
}

/** A fall counts from zero. */
function rise(base: number | undefined, values: readonly Scalar[]): number {
  const all = [...(base === undefined ? [] : [base]), ...values.map(Number)];
  return exactQuotient(
    all.slice(1).flatMap((value, i) => (value < (all[i] ?? 0) ? [value] : [value, -(all[i] ?? 0)])),
    1,
  );
}

function partOf(aggregation: Integral, value: number): number {
  if (aggregation === "integral_positive") return value > 0 ? value : 0;
  return aggregation === "integral" || value < 0 ? value : 0;
}

/** Each value holds until the next one, if that comes within half an hour. */
function integrate(
  sorted: readonly (readonly [number, Scalar])[],
  { from, to }: Pick<SeriesQuery, "from" | "to">,
  bucketAt: ReturnType<typeof gridOf>,
): Map<number, Scalar> {
  const buckets = new Map<number, [number, number][]>();
  for (const [i, [at, value]] of sorted.entries()) {
    const next = sorted[i + 1]?.[0] ?? Number.POSITIVE_INFINITY;
    if (next - at > 1_800_000) continue;
    let begin = Math.max(at, from);
    while (begin < Math.min(next, to)) {
      const { start, end } = bucketAt(begin);
      const stop = Math.min(end, next, to);
      const pairs = buckets.get(start) ?? [];
      pairs.push([Number(value), stop - begin]);
      buckets.set(start, pairs);
      begin = stop;
    }
  }
  return new Map([...buckets].map(([start, pairs]) => [start, exactProducts(pairs, 3_600_000)]));
}

function aggregate(
  aggregation: Exclude<SeriesItem["aggregation"], "delta" | Integral>,
  values: readonly Scalar[],
): Scalar {
  const numbers = values.map(Number);
  switch (aggregation) {
    case "avg":
      return exactQuotient(numbers, values.length);
    case "sum":
      return exactQuotient(numbers, 1);
    case "min":
      return numbers.reduce((a, b) => (b < a ? b : a));
    case "max":
      return numbers.reduce((a, b) => (b > a ? b : a));
    case "count":
      return values.length;
    case "first":
      return values[0] ?? 0;
    case "last":
      return values.at(-1) ?? 0;
    case "bool_or":
      return values.includes(true);
  }
}

function renderCell(value: Scalar | undefined): string {
  if (value === undefined) return "";
  const text = String(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
