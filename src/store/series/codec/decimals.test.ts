import { expect, test } from "vitest";
import { factorOf, findDecimals } from "./decimals.ts";

test.each([0, 1, 2, 3, 4, 5])("the factor of %i places gives the same as a division, to the last bit", (places) => {
  const { high, low } = factorOf(places);
  const power = 10 ** places;
  let seed = places + 1;
  let wrong = 0;
  const check = (n: number) => {
    if (!Object.is(n * high + n * low, n / power) || !Object.is(-n * high - n * low, -n / power)) wrong++;
  };
  for (let n = 1; n <= 100_000; n++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    check(n);
    check(2 ** 31 - n);
    check((seed >>> 1) + 1);
  }
  expect(wrong).toBe(0);
});

test.each<[string, number | undefined, number[], number[]]>([
  ["whole numbers", 0, [1, 20, 300], []],
  ["the most places decide", 3, [1, 0.5, 0.125, 7], []],
  [
    "one long value is cheaper listed than shared by all",
    1,
    [...Array.from({ length: 99 }, (_, i) => i / 10), 0.123456789],
    [99],
  ],
  ["negative zero is no decimal", 1, [...Array.from({ length: 99 }, (_, i) => (i + 1) / 10), -0], [99]],
  ["thirds are no decimals", undefined, [1 / 3, 2 / 3, 4 / 3], []],
  ["whole numbers beyond 2^51 are none either", undefined, [2 ** 51, 2 ** 52, 2 ** 53], []],
])("%s: %s places", (_, places, values, others) => {
  const found = findDecimals(Float64Array.from(values), values.length);
  expect(found?.places).toBe(places);
  expect(found?.others ?? []).toEqual(others);
});
