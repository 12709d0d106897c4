// What energy costs at a site. People write a tariff as a document; `parseTariff` turns it into this.

/** ISO weekdays: Monday first. */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export const PRICE_TYPES = ["fixed", "time_of_use", "prices"] as const;
export const CO2_TYPES = ["fixed", "series"] as const;
export const BASE_UNITS = ["day", "month", "year"] as const;
export const PEAK_UNITS = ["month", "year"] as const;

export const MAX_VERSIONS = 50;
export const MAX_RATES = 24;
export const LONGEST_RATE_NAME = 60;
/** For a kilowatt-hour. */
export const LARGEST_PRICE = 100_000;
export const LARGEST_CHARGE = 1_000_000_000;
export const LARGEST_FACTOR = 100;
/** Grams for a kilowatt-hour. */
export const LARGEST_CO2 = 100_000;

export const QUARTERS_OF_DAY = 96;

export interface Rate {
  readonly name: string;
  /** Millionths of the currency for a kilowatt-hour. */
  readonly price: number;
}

export type PriceRule =
  | { readonly type: "fixed"; readonly rate: Rate }
  /** `table` has the place of the rate by month, weekday and quarter of the day, in this order. */
  | { readonly type: "time_of_use"; readonly rates: readonly Rate[]; readonly table: Uint8Array }
  /** Stored prices. What is paid is (price + add) * factor; add is in millionths. */
  | { readonly type: "prices"; readonly name: string; readonly add: number; readonly factor: number };

export interface TariffVersion {
  /** A local date such as 2026-01-01; undefined: since ever. */
  readonly validFrom: string | undefined;
  readonly import: PriceRule | undefined;
  readonly export: PriceRule | undefined;
  /** Amounts in millionths. */
  readonly base: { readonly amount: number; readonly per: (typeof BASE_UNITS)[number] } | undefined;
  /** For a kilowatt of the highest quarter of an hour. */
  readonly peak: { readonly amount: number; readonly per: (typeof PEAK_UNITS)[number] } | undefined;
  /** Millionths of a gram for a kilowatt-hour, or stored ones. */
  readonly co2: { readonly type: "fixed"; readonly grams: number } | { readonly type: "series" } | undefined;
}

export interface Tariff {
  /** ISO 4217 */
  readonly currency: string;
  /** In the order of their dates. */
  readonly versions: readonly TariffVersion[];
}

export function tablePlace(month: number, weekday: number, quarter: number): number {
  return (month * WEEKDAYS.length + weekday) * QUARTERS_OF_DAY + quarter;
}
