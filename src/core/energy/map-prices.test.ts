import { expect, test } from "vitest";
import { mapPrices } from "./map-prices.ts";

const NOW = Date.parse("2026-03-28T12:00:00Z");
const HOUR = 3_600_000;
const FORM = { time: "/data/*/at", price: "/data/*/p", timeFormat: "ms", resolution: "1h", scale: 1 } as const;
type Form = Parameters<typeof mapPrices>[1];
const read = (answer: unknown, form: Partial<Form> = {}) => mapPrices(answer, { ...FORM, ...form }, NOW);
const rowsOf = (...rows: readonly (readonly [hour: number, price: unknown])[]) => ({
  data: rows.map(([hour, p]) => ({ at: NOW + hour * HOUR, p })),
});
const shown = ({ rows }: ReturnType<typeof mapPrices>) =>
  rows.map(({ from, to, price }) => `${(from - NOW) / HOUR}-${(to - NOW) / HOUR} ${price}`).join(", ");

test("rows are read in any order, a repeated one once, and those without a price not at all", () => {
  const found = read(rowsOf([2, 0.3], [0, -0.1], [1, null], [0, -0.1], [3, "0.25"]));
  expect([shown(found), found.problems]).toEqual(["0-1 -100000, 2-3 300000, 3-4 250000", []]);
});

test("lists side by side, lists of lists, ISO times and other units are read", () => {
  const columns = { unix_seconds: [NOW / 1_000, NOW / 1_000 + 900], price: [91.5, -3] };
  const quarter = { resolution: "15m", scale: 0.001 } as const;
  const side = read(columns, { ...quarter, time: "/unix_seconds/*", price: "/price/*", timeFormat: "s" });
  expect([shown(side), side.problems]).toEqual(["0-0.25 91500, 0.25-0.5 -3000", []]);
  const pairs = read([["2026-03-28T13:00:00+01:00", 12.5]], {
    time: "/*/0",
    price: "/*/1",
    timeFormat: "rfc3339",
    scale: 0.01,
  });
  expect([shown(pairs), pairs.problems]).toEqual(["0-1 125000", []]);
});

test("days on which clocks are changed have the hours that they have", () => {
  const hours = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / HOUR;
  for (const [from, to, count] of [
    ["2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00", 23],
    ["2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00", 25],
  ] as const) {
    const data = Array.from({ length: hours(from, to) }, (_, n) => ({ at: Date.parse(from) + n * HOUR, p: n }));
    const { rows, problems } = read({ data });
    expect([rows.length, problems]).toEqual([count, []]);
  }
  // The hour that comes twice, told apart by its offset.
  const twice = ["2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"].map((at, p) => ({ at, p }));
  expect(read({ data: twice }, { timeFormat: "rfc3339" })).toMatchObject({ rows: { length: 2 }, problems: [] });
});

test.each([
  [
    { rows: [] },
    "time: there is no /data in the answer; it has rows | price: there is no /data in the answer; it has rows",
  ],
  [{ data: {} }, "time: /data is no list; it is empty | price: /data is no list; it is empty"],
  [{ data: [] }, "the list is empty"],
  [{ data: [{ start: 1, p: 2 }] }, "time: no row has /at; it has start, p"],
  [rowsOf([0, 1], [0, 2]), "rows 1 and 2 give two prices for 2026-03-28T12:00:00.000Z"],
  [rowsOf([1, 1], [0.5, 2]), "rows 1 and 2 overlap at 2026-03-28T13:00:00.000Z: check the resolution"],
  [rowsOf([0.1, 1]), "row 1: the time 1774699560000 is not on a quarter of an hour"],
  [
    rowsOf([0, "NaN"], [1, {}], [2, true]),
    'row 1: the price "NaN" is no number | row 2: the price (an object) is no number | row 3: the price true is no number',
  ],
  [rowsOf([0, 1e9]), "row 1: the price 1000000000 is more than 100000 for a kilowatt-hour"],
  [JSON.parse('{"data":[{"at":1e999,"p":1}]}'), "row 1: the time null is no number of milliseconds since 1970"],
  [rowsOf([9e5, 1]), "row 1: the time 5014699200000 must be at most 10 years ago and at most 2 years ahead"],
  [rowsOf([0, null]), "no row has a price"],
  [{ data: [{ at: NOW, p: 1 }, { at: NOW + HOUR }] }, "row 2: the price is missing: is no number"],
])("what is wrong is said in words: %j", (answer, expected) => {
  expect(read(answer).problems.join(" | ")).toBe(expected);
});

test("names of the prototype are no fields, and thousands of mistakes are counted", () => {
  expect(read({ constructor: [] }, { time: "/__proto__/*", price: "/toString/*" }).problems).toHaveLength(2);
  const many = read(rowsOf(...Array.from({ length: 3_000 }, (_, n) => [n, "x"] as const)));
  expect([many.problems.length, many.problems.at(-1)]).toEqual([21, "and 2980 more"]);
  expect(read(rowsOf(...Array.from({ length: 4_001 }, (_, n) => [n, 1] as const))).problems).toEqual([
    "there are 4001 rows; at most 4000 are read",
  ]);
});
