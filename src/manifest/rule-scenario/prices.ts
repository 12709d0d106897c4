// What energy costs in a scenario of a rule.
import { DIRECTIONS } from "#core/energy/price-book.ts";
import type { Direction } from "#core/energy/rates.ts";
import { HOUR_MS, QUARTER_MS } from "#core/time/hour.ts";
import * as r from "#manifest/reader.ts";
import { byKey, lasting } from "#manifest/rule/rule-context.ts";
import type { Trail } from "#manifest/tree.ts";

/** Prices for a kilowatt-hour. */
export type GivenPrices =
  | { readonly kind: "fixed"; readonly price: number | undefined }
  /** From these minutes of the day on, by the clock of the site, in order. */
  | { readonly kind: "daily"; readonly ranges: readonly { readonly minutes: number; readonly price: number }[] }
  /** Of the times that are listed; undefined is unknown. */
  | {
      readonly kind: "listed";
      readonly from: number;
      readonly stepMs: number;
      readonly prices: readonly (number | undefined)[];
    };

export type GivenTariff = ReadonlyMap<Direction, GivenPrices>;

const ABSENT = { kind: "absent" } as const;
const MOST_PRICES = 2_000;

const price = r.wordOr("absent", ABSENT, r.number);

const listed = r.object("prices", {
  from: r.must(r.moment, "When the first price begins, on a quarter of an hour."),
  step: r.withDefault(lasting("15m", "1d"), HOUR_MS, "How long each price holds. Default: 1h."),
  list: r.must(r.listOf(price, "a list of prices"), "The prices in order; absent: nobody knows it."),
});

const CLOCK = /^([01]\d|2[0-3]):(00|15|30|45)$/;
const clock = r.keyOf<number>("time", 'Times are quarters of an hour in quotes, such as "06:00".', (key) => {
  const [, hours, minutes] = CLOCK.exec(key) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
});
const daily = r.object("prices of a day", {
  daily: r.must(r.record(clock, r.number), 'The price from a time of day on: {"00:00": 0.2, "06:00": 0.35}.'),
});

const source = r.byForm<GivenPrices>({
  scalar: r.mapped(price, (given): GivenPrices => ({ kind: "fixed", price: priceOf(given) })),
  map: byKey("price", [
    ["daily", r.mapped(daily, ({ daily: given }): GivenPrices => ({ kind: "daily", ranges: rangesOf(given) }))],
    ["list", r.reader(listed.schema, readListed)],
    ["from", r.reader(listed.schema, readListed)],
  ]),
  wanted: 'a price, absent, {daily: {"00:00": 0.2}}, or {from: 2026-01-01T00:00:00Z, list: [0.2, 0.3]}',
});

const priceOf = (given: number | typeof ABSENT): number | undefined => (typeof given === "number" ? given : undefined);

const rangesOf = (given: ReadonlyMap<number, number>) =>
  [...given].map(([minutes, one]) => ({ minutes, price: one })).toSorted((a, b) => a.minutes - b.minutes);

function readListed(context: r.ReadContext, trail: Trail): GivenPrices | undefined {
  const given = listed.read(context, trail);
  if (given === undefined) return undefined;
  const { from, step: stepMs, list } = given;
  if (from % QUARTER_MS !== 0 || stepMs % QUARTER_MS !== 0)
    return context.reporter.atKey(trail, {
      code: "bad_duration",
      message: "Prices begin with a quarter of an hour, and hold for whole ones.",
    });
  if (list.length > MOST_PRICES)
    return context.reporter.atKey(trail, {
      code: "document_too_complex",
      message: `A list has at most ${MOST_PRICES} prices, and these are ${list.length}.`,
    });
  return { kind: "listed", from, stepMs, prices: list.map(priceOf) };
}

const direction = r.keyOf<Direction>("direction", `Directions are ${DIRECTIONS.join(" and ")}.`, (key) =>
  DIRECTIONS.find((one) => one === key),
);

export const tariff = r.record(direction, source);
