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
  if (aggregation === "delta") return countRises(sorted, { from, to }, item);
  for (const [start, values] of buckets) answer.set(start, aggregate(aggregation, values));
  if (lookAroundMs === undefined) return answer;
  const before = sorted.filter(([at]) => at < from && at >= from - lookAroundMs).at(-1);
  let carried = before && aggregate(aggregation, [before[1]]);
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

/** Each point counts what it is above the values of the hour before it and the last one, since the latest restart. */
function countRises(
  sorted: readonly (readonly [number, Scalar])[],
  { from, to }: Pick<SeriesQuery, "from" | "to">,
  item: SeriesItem,
): Map<number, Scalar> {
  const bucketAt = gridOf(item);
  const perHour = item.counter?.maxPerHour ?? Number.POSITIVE_INFINITY;
  const rises = new Map<number, number[]>();
  let restartedAt = 0;
  for (const [i, [at, scalar]] of sorted.entries()) {
    const value = Number(scalar);
    const [beforeAt, before] = [sorted[i - 1]?.[0] ?? 0, Number(sorted[i - 1]?.[1])];
    const most = perHour * ((at - beforeAt + 900_000) / 3_600_000);
    const isRestart = value < before && value >= 0 && value <= before * 0.1 && value <= most;
    if (isRestart) restartedAt = i;
    if (at < from || at >= to) continue;
    let level = i === 0 ? Number.NEGATIVE_INFINITY : before;
    for (let n = i - 1; n >= restartedAt && (sorted[n]?.[0] ?? 0) > at - 3_600_000; n--) {
      level = Math.max(level, Number(sorted[n]?.[1]));
    }
    const { start } = bucketAt(at);
    const own = rises.get(start) ?? [];
    rises.set(start, own);
    if (isRestart) own.push(value);
    else if (i > 0 && value >= level && value - level <= most) own.push(value, -level);
  }
  return new Map([...rises].map(([start, terms]) => [start, exactQuotient(terms, 1)]));
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
