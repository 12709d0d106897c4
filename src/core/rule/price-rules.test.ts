// Rules that look at prices, in virtual time.
import { expect, test } from "vitest";
import { parseTariff } from "#core/energy/parse-tariff.ts";
import { createPriceBook, type PriceAt } from "#core/energy/price-book.ts";
import type { PriceDays } from "#core/energy/price-days.ts";
import { DAY_MS, HOUR_MS, QUARTER_MS } from "#core/time/hour.ts";
import { RuleRun, RuleSiteInTime } from "../../../test/support/rule-run.ts";

interface Given {
  readonly start?: string;
  readonly timezone?: string;
  readonly priceAt: PriceAt | undefined;
}

function runOf(condition: string, { start = "2026-06-01T00:00:00Z", timezone = "UTC", priceAt }: Given): RuleRun {
  const site = new RuleSiteInTime(start);
  site.timezone = timezone;
  site.priceAt = priceAt;
  return new RuleRun(`when: ${condition}\nthen: { notify: on }\nelse: { notify: off }`, site).start();
}

/** In hours since the start. */
function edges(condition: string, hours: number, given: Given): readonly string[] {
  const run = runOf(condition, given).pass(`${hours}h`);
  return run.done().map((line) => line.replace(/^(\d+)s notify /, (_, at) => `${Number(at) / 3_600} `));
}

function bookOf(document: object, timezone: string, prices: PriceDays = new Map()): PriceAt {
  const { tariff, problems } = parseTariff(document);
  if (tariff === undefined) throw new Error(JSON.stringify(problems));
  return createPriceBook({ tariff, timezone, prices: { import: prices, export: new Map() } });
}

const NIGHT = {
  currency: "EUR",
  versions: [
    {
      import: {
        type: "time_of_use",
        rates: [{ name: "night", price: 0.2, from: "22:00", to: "06:00" }],
        default: { name: "day", price: 0.3 },
      },
    },
    { valid_from: "2026-06-03", import: { type: "fixed", price: 0.1 } },
  ],
};

test("the price of now follows the tariff, its versions and the clock of the site", () => {
  const timezone = "Europe/Berlin";
  const given = { start: "2026-05-31T22:00:00Z", timezone, priceAt: bookOf(NIGHT, timezone) };
  expect(edges("{ tariff: import, below: 0.25 }", 72, given)).toEqual(["0 on", "6 off", "22 on", "30 off", "46 on"]);
  expect(edges("{ tariff: import, below: 0.15 }", 72, given)).toEqual(["48 on"]);
});

test("stored prices count with what the tariff adds, and one that is missing is unknown: nothing starts, nothing ends", () => {
  const start = Date.parse("2026-06-01T00:00:00Z");
  // Two hours at 0.05, two without a price, and the rest of the day at 0.5.
  const day = Array.from({ length: 96 }, (_, n) => (n < 8 ? 50_000 : n < 16 ? null : 500_000));
  const document = { currency: "EUR", versions: [{ import: { type: "prices", add: 0.1 } }] };
  const priceAt = bookOf(document, "UTC", new Map([[start / DAY_MS, day]]));
  expect(edges("{ tariff: import, below: 0.2 }", 48, { priceAt })).toEqual(["0 on", "4 off"]);
  expect(edges("{ tariff: import, below: 0.12 }", 48, { priceAt })).toEqual([]);
  expect(edges("{ not: { tariff: import, below: 0.2 } }", 48, { priceAt })).toEqual(["4 on"]);
  expect(edges("{ tariff: export, below: 100 }", 48, { priceAt })).toEqual([]);
  expect(edges("{ tariff: import, below: 100 }", 48, { priceAt: undefined })).toEqual([]);
});

test("prices are numbers for others, and a rule is woken when they may change", () => {
  const run = runOf("{ variable: x, above: { tariff: import, times: 100 } }", { priceAt: bookOf(NIGHT, "UTC") });
  run.site.variables.set("x", { value: 25, at: 0, causes: [] });
  run.step();
  expect([run.done(), run.nextDue]).toEqual([["0s notify on"], run.begun + QUARTER_MS]);
  expect(run.pass("24h").done()).toEqual(["21600s notify off", "79200s notify on"]);
});

/** A price for each hour since the start. */
const hourly =
  (start: string, prices: readonly (number | undefined)[]): PriceAt =>
  (_, at) =>
    prices[Math.floor((at - Date.parse(start)) / HOUR_MS)];

test("the cheapest hours of the day up to a time, one day after the other", () => {
  const start = "2026-06-01T06:00:00Z";
  const prices = [5, 4, 3, 2, 9, 9, 9, 9, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1, 1, 1, 1].map(Number);
  const later = Array.from({ length: 20 }, () => 7);
  const given = { start, priceAt: hourly(start, [...prices, ...later]) };
  const wanted = (more: string) => `{ tariff: import, cheapest: 3h, before: "06:00"${more} }`;
  expect(edges(wanted(""), 48, given)).toEqual(["2 on", "4 off", "8 on", "9 off", "24 on", "27 off"]);
  expect(edges(wanted(", unbroken: true"), 48, given)).toEqual(["1 on", "4 off", "24 on", "27 off"]);
  expect(edges(`{ tariff: import, dearest: 1h, before: "06:00" }`, 24, given)).toEqual(["4 on", "5 off"]);
});

test("between two times of day the others are not looked at, and outside it is off", () => {
  const start = "2026-06-01T00:00:00Z";
  const given = {
    start,
    priceAt: hourly(
      start,
      Array.from({ length: 96 }, (_, n) => n % 24),
    ),
  };
  const condition = '{ tariff: import, cheapest: 2h, from: "22:00", before: "06:00" }';
  // Of the first night the prices before midnight are missing: two that may be the cheapest.
  expect(edges(condition, 51, given)).toEqual(["24 on", "26 off", "48 on", "50 off"]);
});

test.each([
  ["shorter by an hour", "2026-03-28T23:00:00Z", 23],
  ["longer by an hour", "2026-10-24T22:00:00Z", 25],
])("a day that is %s has all of its hours", (_, start, length) => {
  const timezone = "Europe/Berlin";
  // The last two hours of the day are the cheapest, and the next day costs less.
  const prices = Array.from({ length: 60 }, (_, n) => (n >= length ? 1 : n >= length - 2 ? 5 : 9));
  const given = { start, timezone, priceAt: hourly(start, prices) };
  // They go over into the first two of the next day.
  expect(edges("{ tariff: import, cheapest: 2h }", length + 3, given)).toEqual([
    `${length - 2} on`,
    `${length + 2} off`,
  ]);
  expect(edges('{ tariff: import, dearest: 30m, before: "00:00" }', length - 1, given)).toEqual(["0 on", "0.5 off"]);
});

test("prices of tomorrow that are not known yet leave open what is among the cheapest, and settle it when they come", () => {
  const start = "2026-06-01T12:00:00Z";
  const known = [5, 1, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6];
  const site: Given = { start, priceAt: hourly(start, known) };
  const condition = '{ tariff: import, cheapest: 2h, before: "12:00" }';
  const run = runOf(condition, site).pass("3h");
  // Twelve prices are missing, so nobody knows whether even the lowest one is among the cheapest two hours.
  expect(run.done()).toEqual([]);
  run.site.priceAt = hourly(start, [...known, ...Array.from({ length: 12 }, () => 2)]);
  expect(run.pass("10h").done()).toEqual(["43200s notify on", "46800s notify off"]);
});
