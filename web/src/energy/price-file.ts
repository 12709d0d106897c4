// Prices out of a file: CSV with a time and a price in each line, as exchanges and suppliers give them. Pure.
import { firstMomentOf } from "#core/time/calendar.ts";

export type PriceFile = {
  readonly rows: readonly { readonly from: string; readonly price: number }[];
  /** How long each price holds. */
  readonly duration: "15m" | "30m" | "1h";
  /** Numbers of lines that are no prices. */
  readonly wrong: readonly number[];
};

export const LARGEST_FILE = 1_000_000;
/** As the interface takes at once. */
export const MOST_ROWS = 10_000;
const MINUTE = 60_000;
const LOCAL = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::\d\d)?$/;

/** Times without an offset are those of the site's clock. A first line with names is no mistake. */
export function readPriceFile(text: string, zone: string): PriceFile {
  const rows: { at: number; price: number }[] = [];
  const wrong: number[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === "") continue;
    const row = rows.length < MOST_ROWS ? readLine(line, zone) : undefined;
    if (row !== undefined) rows.push(row);
    else if (index > 0) wrong.push(index + 1);
  }
  rows.sort((a, b) => a.at - b.at);
  const step = rows.length < 2 ? 60 : Math.round(((rows[1]?.at ?? 0) - (rows[0]?.at ?? 0)) / MINUTE);
  return {
    rows: rows.map(({ at, price }) => ({ from: new Date(at).toISOString(), price })),
    duration: step <= 15 ? "15m" : step <= 30 ? "30m" : "1h",
    wrong,
  };
}

function readLine(line: string, zone: string): { at: number; price: number } | undefined {
  // A semicolon or a tab separates the columns where a comma is a decimal point.
  const mark = line.includes(";") ? ";" : line.includes("\t") ? "\t" : ",";
  const cells = line.split(mark).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
  const [time = "", ...others] = cells;
  const last = others.at(-1) ?? "";
  const price = Number(mark === "," ? last : last.replace(",", "."));
  const at = readTime(time, zone);
  return at === undefined || last === "" || !Number.isFinite(price) ? undefined : { at, price };
}

function readTime(text: string, zone: string): number | undefined {
  const [, year, month, day, hour, minute] = LOCAL.exec(text) ?? [];
  if (year !== undefined) {
    const wall = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
    return firstMomentOf(zone, wall);
  }
  const at = Date.parse(text);
  return /^\d{4}-/.test(text) && Number.isFinite(at) ? at : undefined;
}
