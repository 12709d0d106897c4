// Takes the prices out of a JSON answer, by the paths of a price source. Everything that is wrong is reported at once.

import { MistakeList } from "#core/mistakes.ts";
import { QUARTER_MS } from "#core/time/hour.ts";
import { instant, parseInstant, renderInstant } from "#core/time/instant.ts";
import { millionths } from "./money.ts";
import type { PriceRow } from "./price-days.ts";
import { type PriceSource, parsePricePath } from "./price-source.ts";
import { priceTimeProblem } from "./price-times.ts";
import { LARGEST_PRICE } from "./tariff.ts";

/** Two weeks of quarters of an hour and some more; sources give two days. */
const MAX_SOURCE_ROWS = 4_000;

export interface MappedPrices {
  /** In the order of time. Complete only where nothing is wrong. */
  readonly rows: readonly PriceRow[];
  readonly problems: readonly string[];
}

const HOUR_MS = 3_600_000;

export function mapPrices(
  answer: unknown,
  source: Pick<PriceSource, "time" | "price" | "timeFormat" | "resolution" | "scale">,
  now: number,
): MappedPrices {
  const problems = new MistakeList<string>();
  const times = valuesAt(answer, source.time);
  const prices = valuesAt(answer, source.price);
  for (const [name, found] of [
    ["time", times],
    ["price", prices],
  ] as const) {
    if (typeof found === "string") problems.add(() => `${name}: ${found}`);
  }
  if (typeof times === "string" || typeof prices === "string") return { rows: [], problems: problems.listed };
  const count = times.length;
  if (count !== prices.length) problems.add(() => `there are ${count} times, but ${prices.length} prices`);
  else if (count === 0) problems.add(() => "the list is empty");
  else if (count > MAX_SOURCE_ROWS) problems.add(() => `there are ${count} rows; at most ${MAX_SOURCE_ROWS} are read`);
  if (problems.listed.length > 0) return { rows: [], problems: problems.listed };
  const length = source.resolution === "1h" ? HOUR_MS : QUARTER_MS;
  const rows = times.flatMap((time, n): (PriceRow & { n: number })[] => {
    // Sources name quarters ahead whose price is not known yet.
    if (prices[n] === null) return [];
    const from = readTime(time, source.timeFormat);
    const problem = typeof from === "string" ? from : priceTimeProblem(from, now);
    if (problem !== undefined) problems.add(() => `row ${n + 1}: the time ${shown(time)} ${problem}`);
    const price = readPrice(prices[n], source.scale);
    if (typeof price === "string") problems.add(() => `row ${n + 1}: the price ${shown(prices[n])} ${price}`);
    if (typeof from === "string" || typeof price === "string") return [];
    return [{ from, to: from + length, price, n }];
  });
  rows.sort((one, other) => one.from - other.from || one.n - other.n);
  if (rows.length === 0 && problems.listed.length === 0) problems.add(() => "no row has a price");
  const kept = rows.filter((row, place) => !isRepeated(row, rows[place - 1]));
  for (const [place, row] of kept.entries()) {
    const before = kept[place - 1];
    if (before === undefined || row.from >= before.to) continue;
    problems.add(() => overlapOf(before, row));
  }
  const { listed, more } = problems;
  return {
    rows: kept.map(({ from, to, price }) => ({ from, to, price })),
    problems: more === 0 ? listed : [...listed, `and ${more} more`],
  };
}

type NumberedRow = PriceRow & { readonly n: number };

function isRepeated(row: NumberedRow, before: NumberedRow | undefined): boolean {
  return before?.from === row.from && before.price === row.price;
}

function overlapOf(before: NumberedRow, row: NumberedRow): string {
  const [a, b] = [before.n, row.n].sort((one, other) => one - other).map((n) => n + 1);
  const rows = `rows ${a} and ${b}`;
  const at = renderInstant(instant(row.from));
  if (before.from === row.from) return `${rows} give two prices for ${at}`;
  return `${rows} overlap at ${at}: check the resolution`;
}

/** The values that a path leads to, or why it leads to none. A value that a row lacks is undefined. */
function valuesAt(answer: unknown, path: string): readonly unknown[] | string {
  const keys = parsePricePath(path) ?? [];
  const star = keys.indexOf("*");
  const list = follow(answer, keys.slice(0, star));
  const place = star === 0 ? "the answer" : `/${keys.slice(0, star).join("/")}`;
  if (list === undefined) return `there is no ${place} in the answer${namesIn(answer)}`;
  if (!Array.isArray(list)) return `${place} is no list${namesIn(list)}`;
  const rest = keys.slice(star + 1);
  const values = list.map((row: unknown) => follow(row, rest));
  if (list.length > 0 && values.every((value) => value === undefined)) {
    return `no row has /${rest.join("/")}${namesIn(list[0])}`;
  }
  return values;
}

function follow(value: unknown, keys: readonly string[]): unknown {
  let at = value;
  for (const key of keys) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}

const NAMES_SHOWN = 12;

function namesIn(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  if (Array.isArray(value)) return `; it is a list of ${value.length}`;
  const names = Object.keys(value)
    .slice(0, NAMES_SHOWN)
    .map((name) => name.slice(0, 40));
  return names.length === 0 ? "; it is empty" : `; it has ${names.join(", ")}`;
}

function readTime(value: unknown, format: PriceSource["timeFormat"]): number | string {
  if (format === "rfc3339") {
    const at = typeof value === "string" ? parseInstant(value) : undefined;
    return at ?? "is no ISO 8601 time with its offset from UTC, such as 2026-01-01T00:00:00+01:00";
  }
  const seconds = readNumber(value);
  const unit = format === "s" ? "seconds" : "milliseconds";
  if (seconds === undefined) return `is no number of ${unit} since 1970`;
  return format === "s" ? seconds * 1_000 : seconds;
}

function readPrice(value: unknown, scale: number): number | string {
  const given = readNumber(value);
  if (given === undefined) return "is no number";
  const price = given * scale;
  return Math.abs(price) <= LARGEST_PRICE ? millionths(price) : `is more than ${LARGEST_PRICE} for a kilowatt-hour`;
}

const DECIMAL = /^-?\d{1,20}(\.\d{1,20})?$/;

/** Some services write numbers as texts. */
function readNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" && DECIMAL.test(value) ? Number(value) : undefined;
}

/** Short, and never an object: an answer may repeat what it was asked with. */
function shown(value: unknown): string {
  if (value === undefined) return "is missing:";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "(a list)" : "(an object)";
  return JSON.stringify(typeof value === "string" ? value.slice(0, 40) : value) ?? "";
}
