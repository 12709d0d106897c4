// The simplest way to answer a query, as a reference for the engine: every rule of buckets and gap filling in a few
// lines, with all points in a map and all sums in exact fractions.
import type { Scalar } from "#store/series/batch.ts";
import type { SeriesItem, SeriesQuery } from "#store/series/query.ts";
import { exactQuotient } from "./exact-quotient.ts";

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
  const { granularityMs, lookAroundMs, aggregation } = item;
  const startOf = (at: number) => Math.floor(at / granularityMs) * granularityMs;
  const sorted = [...points].sort(([a], [b]) => a - b);
  const buckets = new Map<number, Scalar[]>();
  for (const [at, value] of sorted) {
    if (at < from || at >= to) continue;
    const start = startOf(at);
    buckets.set(start, [...(buckets.get(start) ?? []), value]);
  }
  const answer = new Map<number, Scalar>();
  for (const [start, values] of buckets) answer.set(start, aggregate(aggregation, values));
  if (lookAroundMs === undefined) return answer;
  const before = sorted.filter(([at]) => at < from && at >= from - lookAroundMs).at(-1);
  let carried = before === undefined ? undefined : aggregation === "count" ? 1 : before[1];
  for (let start = startOf(from); start < to; start += granularityMs) {
    carried = answer.get(start) ?? carried;
    if (carried !== undefined) answer.set(start, carried);
  }
  return answer;
}

function aggregate(aggregation: SeriesItem["aggregation"], values: readonly Scalar[]): Scalar {
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
