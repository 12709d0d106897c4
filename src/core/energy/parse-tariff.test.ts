import { expect, test } from "vitest";
import { parseTariff } from "./parse-tariff.ts";

const problemsOf = (...versions: readonly unknown[]) =>
  parseTariff({ currency: "EUR", versions }).problems.map(({ pointer, message }) => `${pointer} ${message}`);

test.each([
  [[{ import: "cheap" }], ["/versions/0/import must be an object"]],
  [[7], ["/versions/0 must be an object"]],
  [[{ import: { type: "time_of_use", rates: [] } }], ["/versions/0/import/rates must be a list of 1 to 24"]],
  [
    [{}, { valid_from: "2026-02-30" }, { valid_from: "2026-02-30" }],
    ["/versions/1/valid_from is no day of the calendar", "/versions/2/valid_from is no day of the calendar"],
  ],
  [
    [{ import: { type: "time_of_use", rates: [{ name: "a", price: 1, from: "x", to: "y" }], default: { price: 1 } } }],
    [
      "/versions/0/import/rates/0/from must be a time on a quarter of an hour, from 00:00 to 24:00",
      "/versions/0/import/rates/0/to must be a time on a quarter of an hour, from 00:00 to 24:00",
    ],
  ],
  [[{ "a/b~": 1 }], ["/versions/0/a~1b~0 is not known here; known are valid_from, import, export, base, peak, co2"]],
])("each place of %j has one problem", (versions, expected) => {
  expect(problemsOf(...versions)).toEqual(expected);
});

test("months and weekdays are checked one by one", () => {
  const rates = [{ name: "winter", price: 0.4, months: [1, 13, 2.5], weekdays: ["mon", "someday"] }];
  const problems = problemsOf({ import: { type: "time_of_use", rates, default: { price: 0.3 } } });
  expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
    "/versions/0/import/rates/0/weekdays/1",
    "/versions/0/import/rates/0/months/1",
    "/versions/0/import/rates/0/months/2",
  ]);
});
