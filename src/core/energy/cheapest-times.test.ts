import { expect, test } from "vitest";
import { HOUR_MS, QUARTER_MS } from "#core/time/hour.ts";
import { cheapestSpan, isAmongCheapest, isInCheapestSpan } from "./cheapest-times.ts";

/** Prices of quarters of an hour from 0 on; `?` is one that nobody knows. */
const pricesOf = (text: string) => {
  const prices = text.split(" ").map((one) => (one === "?" ? undefined : Number(one)));
  return (at: number) => prices[Math.floor(at / QUARTER_MS)];
};

const quarters = (text: string): number => text.split(" ").length;
const SIGNS = new Map([
  [true, "+"],
  [false, "-"],
  [undefined, "?"],
]);

/** What each quarter is, of all that are listed. */
function drawn(prices: string, count: number, isOn: typeof isAmongCheapest): string {
  const to = quarters(prices) * QUARTER_MS;
  return Array.from({ length: quarters(prices) }, (_, n) =>
    SIGNS.get(isOn(pricesOf(prices), { from: 0, to, lengthMs: count * QUARTER_MS, now: n * QUARTER_MS + 5 })),
  ).join("");
}

test.each([
  ["3 1 2 4", 2, "-++-"],
  ["1 1 1 1", 2, "++--"],
  ["-1 0 -2 0", 3, "+++-"],
  // The missing one may be cheaper or not: the cheapest of three known ones holds for two, the dearest never.
  ["3 1 2 ?", 2, "-+??"],
  ["3 1 2 ?", 3, "?++?"],
  ["? ? ? 1", 1, "????"],
  // All of the time is as long as that, so no price matters.
  ["? ? ? 1", 4, "++++"],
  ["5", 1, "+"],
  ["? 5", 4, "++"],
])("of the prices %s the cheapest %s are %s", (prices, count, expected) => {
  expect(drawn(prices, count, isAmongCheapest)).toBe(expected);
});

test.each([
  ["3 1 2 4 1 1", 2, "----++"],
  ["1 1 1 1", 2, "++--"],
  ["3 1 2 ? 4 5", 2, "??????"],
  ["3 1", 5, "++"],
])("of the prices %s the cheapest %s in a row are %s", (prices, count, expected) => {
  expect(drawn(prices, count, isInCheapestSpan)).toBe(expected);
});

test("a part of a quarter counts as long as it is", () => {
  const priceAt = pricesOf("1 2 3 4");
  const window = { from: QUARTER_MS / 3, to: 4 * QUARTER_MS, lengthMs: QUARTER_MS };
  // Ten minutes of the first quarter are not enough, so the second one is needed, too.
  expect(isAmongCheapest(priceAt, { ...window, now: QUARTER_MS })).toBe(true);
  expect(isAmongCheapest(priceAt, { ...window, now: 2 * QUARTER_MS })).toBe(false);
});

test("the cheapest span begins with a quarter, ends inside, and leaves out what has no price", () => {
  const priceAt = pricesOf("9 1 1 ? 2 2 2 2");
  expect(cheapestSpan(priceAt, { from: 1, to: 2 * HOUR_MS, lengthMs: 2 * QUARTER_MS })?.from).toBe(QUARTER_MS);
  expect(cheapestSpan(priceAt, { from: 0, to: 2 * HOUR_MS, lengthMs: HOUR_MS })?.from).toBe(HOUR_MS);
  expect(cheapestSpan(priceAt, { from: 0, to: 2 * HOUR_MS, lengthMs: 2 * HOUR_MS })).toBeUndefined();
});
