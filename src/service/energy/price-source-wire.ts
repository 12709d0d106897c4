import { MILLION } from "#core/energy/money.ts";
import { PRICE_KINDS, type PriceRow } from "#core/energy/price-days.ts";
import {
  LARGEST_SCALE,
  LONGEST_EVERY,
  LONGEST_HEADER_NAME,
  LONGEST_HEADER_VALUE,
  LONGEST_PRICE_PATH,
  LONGEST_SOURCE_URL,
  type PriceSource,
  type PriceSourceRecord,
  RESOLUTIONS,
  TIME_FORMATS,
} from "#core/energy/price-source.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const path = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: LONGEST_PRICE_PATH,
    description: `Path of ${what} in the JSON answer, in which * stands for each row, such as /data/*/start or /start/*.`,
  });

const mapping = {
  url: Type.String({
    minLength: 1,
    maxLength: LONGEST_SOURCE_URL,
    description:
      "An http or https address that answers a GET with JSON. {today} and {tomorrow} stand for dates of the site's calendar.",
  }),
  time: path("the start of each price"),
  price: path("each price"),
};
const timeFormat = oneOf(TIME_FORMATS, {
  description: "rfc3339: ISO 8601 with an offset from UTC. s, ms: Unix seconds, milliseconds. Default rfc3339.",
});
const resolution = oneOf(RESOLUTIONS, { description: "How long each price holds. Default 1h." });
const scale = Type.Number({
  minimum: -LARGEST_SCALE,
  maximum: LARGEST_SCALE,
  description:
    "Multiplied with each price to get money (or grams) for a kilowatt-hour: 0.001 for EUR/MWh, 0.01 for ct/kWh. " +
    "Fees and taxes are added by the tariff: add and factor. Default 1.",
});
const every = Type.String({
  minLength: 1,
  maxLength: LONGEST_EVERY,
  description: "How often it is fetched, from 15m to 7d. Default 1h.",
});

export const newPriceSourceSchema = described(
  "NewPriceSource",
  "Where prices are fetched from, and how they are read.",
  {
    ...mapping,
    header: Type.Optional(
      described("PriceSourceHeader", "A header that is sent along, such as one with a key.", {
        name: Type.String({ minLength: 1, maxLength: LONGEST_HEADER_NAME }),
        value: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: LONGEST_HEADER_VALUE,
            description:
              "Stored encrypted and never shown. Without it, the stored one stays, if it is for the same server.",
          }),
        ),
      }),
    ),
    time_format: Type.Optional(timeFormat),
    resolution: Type.Optional(resolution),
    scale: Type.Optional(scale),
    every: Type.Optional(every),
  },
);

export const priceSourceSchema = described("PriceSource", "Where prices are fetched from, and how that goes.", {
  kind: oneOf(PRICE_KINDS),
  ...mapping,
  header: nullable(Type.String({ description: "The name of the header. Its value is not shown." })),
  time_format: timeFormat,
  resolution,
  scale,
  every,
  updated_at: timestamp,
  next_at: Type.String({ format: "date-time", description: "When it is fetched next." }),
  failures: Type.Integer({ minimum: 0, description: "In a row. Each one makes the pause before the next longer." }),
  succeeded_at: nullable(timestamp),
  rows: nullable(Type.Integer({ description: "Prices in the last good answer." })),
  failed_at: nullable(timestamp),
  error: nullable(Type.String({ description: "Why the last failed attempt failed." })),
});

export const priceTrialSchema = described("PriceTrial", "What a source would give. Nothing of it is stored.", {
  problems: Type.Array(Type.String(), { description: "Everything that is wrong. Empty: the prices would be stored." }),
  total: Type.Integer({ minimum: 0, description: "Rows that were read." }),
  prices: Type.Array(
    strict("TriedPrice", {
      from: Type.String({ description: "RFC 3339" }),
      to: Type.String({ description: "RFC 3339" }),
      price: Type.Number({ description: "As it would be stored." }),
      paid: nullable(
        Type.Number({ description: "With add and factor of the tariff. Null: the tariff does not use these prices." }),
      ),
    }),
    { description: "The first rows." },
  ),
});

export function readPriceSource(body: Static<typeof newPriceSourceSchema>): PriceSource {
  return {
    url: body.url,
    header: body.header?.name,
    time: body.time,
    price: body.price,
    timeFormat: body.time_format ?? "rfc3339",
    resolution: body.resolution ?? "1h",
    scale: body.scale ?? 1,
    every: body.every ?? "1h",
  };
}

const optional = <Value, Shown>(value: Value | undefined, show: (value: Value) => Shown): Shown | null =>
  value === undefined ? null : show(value);

export function renderPriceSource({
  kind,
  source,
  updatedAt,
  state,
}: PriceSourceRecord): Static<typeof priceSourceSchema> {
  return {
    kind,
    url: source.url,
    time: source.time,
    price: source.price,
    header: source.header ?? null,
    time_format: source.timeFormat,
    resolution: source.resolution,
    scale: source.scale,
    every: source.every,
    updated_at: renderInstant(updatedAt),
    next_at: renderInstant(state.nextAt),
    failures: state.failures,
    succeeded_at: optional(state.succeededAt, renderInstant),
    rows: state.rows ?? null,
    failed_at: optional(state.failedAt, renderInstant),
    error: state.error ?? null,
  };
}

/** Rows of an answer. */
const SHOWN_ROWS = 12;

export function renderTrial(
  { rows, problems }: { readonly rows: readonly PriceRow[]; readonly problems: readonly string[] },
  paidFor: (row: PriceRow) => number | undefined,
): Static<typeof priceTrialSchema> {
  return {
    problems: [...problems],
    total: rows.length,
    prices: rows.slice(0, SHOWN_ROWS).map((row) => ({
      from: renderInstant(instant(row.from)),
      to: renderInstant(instant(row.to)),
      price: (row.price ?? 0) / MILLION,
      paid: optional(paidFor(row), (paid) => paid / MILLION),
    })),
  };
}
