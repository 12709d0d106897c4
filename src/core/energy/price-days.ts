// Stored prices: of a site and a kind, by days of UTC, with a price for each quarter of an hour.
import { DAY_MS, QUARTER_MS } from "#core/time/hour.ts";
import { QUARTERS_OF_DAY } from "./tariff.ts";

export const PRICE_KINDS = ["import", "export", "co2"] as const;
export type PriceKind = (typeof PRICE_KINDS)[number];

/** Of each quarter of the day: millionths for a kilowatt-hour, or null where no price is known. */
export type PriceDay = readonly (number | null)[];

/** By the number of the day since 1970. */
export type PriceDays = ReadonlyMap<number, PriceDay>;

export interface PriceRow {
  readonly from: number;
  readonly to: number;
  /** Null: none is known any more. */
  readonly price: number | null;
}

export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

function quarterOf(at: number): number {
  return Math.floor(at / QUARTER_MS) - dayOf(at) * QUARTERS_OF_DAY;
}

export function priceAt(days: PriceDays, at: number): number | undefined {
  return days.get(dayOf(at))?.[quarterOf(at)] ?? undefined;
}

export const EMPTY_DAY: PriceDay = Array.from({ length: QUARTERS_OF_DAY }, () => null);

/** What rows change. In a day, undefined leaves a quarter as it is. Of rows that overlap, the later one counts. */
export type PriceChange = ReadonlyMap<number, readonly (number | null | undefined)[]>;

export function changeOf(rows: readonly PriceRow[]): PriceChange {
  const days = new Map<number, (number | null | undefined)[]>();
  for (const { from, to, price } of rows) {
    for (let at = from; at < to; at += QUARTER_MS) {
      const day = dayOf(at);
      const quarters = days.get(day) ?? Array.from({ length: QUARTERS_OF_DAY }, () => undefined);
      quarters[quarterOf(at)] = price;
      days.set(day, quarters);
    }
  }
  return days;
}

export function applyChange(day: PriceDay, change: readonly (number | null | undefined)[]): PriceDay {
  return EMPTY_DAY.map((_, n) => {
    const changed = change[n];
    return changed === undefined ? (day[n] ?? null) : changed;
  });
}

/** Quarters with the same price that follow each other are one row. */
export function rowsOf(days: PriceDays, range: { readonly from: number; readonly to: number }): readonly PriceRow[] {
  const rows: { from: number; to: number; price: number }[] = [];
  for (const [day, quarters] of [...days].sort(([a], [b]) => a - b)) {
    for (const [n, price] of quarters.entries()) {
      const from = (day * QUARTERS_OF_DAY + n) * QUARTER_MS;
      if (price === null || from + QUARTER_MS <= range.from || from >= range.to) continue;
      const last = rows.at(-1);
      if (last?.to === from && last.price === price) last.to = from + QUARTER_MS;
      else rows.push({ from, to: from + QUARTER_MS, price });
    }
  }
  return rows;
}

export function isPriceDay(value: unknown): value is PriceDay {
  return (
    Array.isArray(value) &&
    value.length === QUARTERS_OF_DAY &&
    value.every((one) => one === null || Number.isSafeInteger(one))
  );
}
