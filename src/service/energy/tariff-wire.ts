import { AppError, type Refusal } from "#core/app-error.ts";
import { parseTariff } from "#core/energy/parse-tariff.ts";
import {
  BASE_UNITS,
  CO2_TYPES,
  LARGEST_CHARGE,
  LARGEST_CO2,
  LARGEST_FACTOR,
  LARGEST_PRICE,
  LONGEST_RATE_NAME,
  MAX_RATES,
  MAX_VERSIONS,
  PEAK_UNITS,
  PRICE_TYPES,
  WEEKDAYS,
} from "#core/energy/tariff.ts";
import { renderInstant } from "#core/time/instant.ts";
import { Type } from "#service/operation/schema.ts";
import { described, name, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { StoredTariff } from "#service/ports/tariff-store.ts";

const price = (description: string) =>
  Type.Number({ minimum: -LARGEST_PRICE, maximum: LARGEST_PRICE, description: `${description} May be negative.` });
const localTime = (description: string) =>
  Type.String({ pattern: "^([01][0-9]|2[0-3]):(00|15|30|45)$|^24:00$", description });
const rateName = (description: string) => name(description, LONGEST_RATE_NAME);

const rate = strict("TariffRate", {
  name: rateName("As costs are listed by."),
  price: price("For a kilowatt-hour."),
  weekdays: Type.Optional(
    Type.Array(oneOf(WEEKDAYS), { minItems: 1, maxItems: 7, description: "Days of the site's calendar. Default all." }),
  ),
  months: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 12 }), { minItems: 1, maxItems: 12, description: "Default all." }),
  ),
  from: Type.Optional(localTime("Local time on a quarter of an hour. Default 00:00.")),
  to: Type.Optional(localTime("End, not included. Default 24:00. Before from: the rate also holds after midnight.")),
});

const rule = described(
  "TariffPrice",
  "fixed: price. time_of_use: rates, of which the first that fits is in force, and a default where they leave gaps. " +
    "prices: the stored prices of the site; what is paid is (price + add) * factor.",
  {
    type: oneOf(PRICE_TYPES),
    name: Type.Optional(rateName("fixed and prices: as costs are listed by.")),
    price: Type.Optional(price("fixed: for a kilowatt-hour.")),
    rates: Type.Optional(Type.Array(rate, { minItems: 1, maxItems: MAX_RATES })),
    default: Type.Optional(
      strict("TariffDefaultRate", { name: Type.Optional(rateName("Default: default.")), price: price("Otherwise.") }),
    ),
    add: Type.Optional(price("prices: added to each, such as fees of the grid, before the factor.")),
    factor: Type.Optional(
      Type.Number({ minimum: 0, maximum: LARGEST_FACTOR, description: "prices: such as 1.19 for a tax of 19 %." }),
    ),
  },
);

const charge = Type.Number({ minimum: 0, maximum: LARGEST_CHARGE });

const version = strict("TariffVersion", {
  valid_from: Type.Optional(
    Type.String({
      pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
      description: "A date of the site's calendar. Only the first version may have none: it holds since ever.",
    }),
  ),
  import: Type.Optional(rule),
  export: Type.Optional(rule),
  base: Type.Optional(strict("TariffBase", { amount: charge, per: oneOf(BASE_UNITS) })),
  peak: Type.Optional(
    described("TariffPeak", "For each kilowatt of the highest quarter of an hour.", {
      amount: charge,
      per: oneOf(PEAK_UNITS),
    }),
  ),
  co2: Type.Optional(
    strict("TariffCo2", {
      type: oneOf(CO2_TYPES, { description: "series: the stored prices of kind co2, in grams." }),
      grams: Type.Optional(
        Type.Number({ minimum: 0, maximum: LARGEST_CO2, description: "fixed: of CO2 for a kilowatt-hour." }),
      ),
    }),
  ),
});

const fields = {
  currency: Type.String({ pattern: "^[A-Z]{3}$", description: "ISO 4217, such as EUR." }),
  versions: Type.Array(version, {
    minItems: 1,
    maxItems: MAX_VERSIONS,
    description: "In the order of their dates. A new tariff is one more version, so that the past stays as it was.",
  }),
};

export const newTariffSchema = strict("NewTariff", fields);
export const tariffSchema = described("Tariff", "What energy costs at a site. Prices are for a kilowatt-hour.", {
  ...fields,
  updated_at: timestamp,
});

/** What no schema can find: which fields go together, gaps between rates, the order of dates. */
export function tariffMistakes(document: unknown): readonly Refusal[] {
  return parseTariff(document).problems.map(({ pointer, message }) => ({
    code: "invalid_body" as const,
    message: `${pointer === "" ? "the tariff" : pointer} ${message}`,
    details: { pointer },
  }));
}

export function requireTariff(document: unknown): void {
  const [first, ...others] = tariffMistakes(document);
  if (first !== undefined) throw new AppError([first, ...others]);
}

export function renderTariff(stored: Omit<StoredTariff, "tariff"> | undefined): object {
  return { tariff: stored === undefined ? null : { ...stored.document, updated_at: renderInstant(stored.updatedAt) } };
}
