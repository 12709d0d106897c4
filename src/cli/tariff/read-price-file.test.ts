import { expect, test } from "vitest";
import { readPriceFile } from "./read-price-file.ts";

const MAPPING = { time: "start", price: "EUR/MWh", scale: 0.001, timeFormat: "rfc3339" } as const;

test("columns are found by name or number, and prices are scaled", () => {
  const text =
    'start,"EUR/MWh"\n2026-11-15T12:00:00+01:00,91.5\n2026-11-15T13:00:00+01:00,\n2026-11-15T14:00:00+01:00,-3\n';
  const expected = [
    { from: "2026-11-15T11:00:00.000Z", price: 0.0915 },
    { from: "2026-11-15T13:00:00.000Z", price: -0.003 },
  ];
  expect(readPriceFile(text, MAPPING)).toEqual(expected);
  expect(readPriceFile(text, { ...MAPPING, time: "0", price: "1" })).toEqual(expected);
});

test.each([
  ["s", "1763204400"],
  ["ms", "1763204400000"],
] as const)("times may be Unix %s", (timeFormat, time) => {
  const rows = readPriceFile(`t,p\n${time},1`, { time: "t", price: "p", scale: 1, timeFormat });
  expect(rows).toEqual([{ from: "2025-11-15T11:00:00.000Z", price: 1 }]);
});

test.each([
  ["", "the file is empty"],
  ["start,EUR/MWh\n", "the file has no prices"],
  ["a,b\n1,2\n", 'there is no column "start"'],
  ["start,EUR/MWh\nsoon,1\n", "line 2 is no price"],
  ["start,EUR/MWh\n2026-11-15T12:00:00Z,cheap\n", "line 2 is no price"],
])("%j is refused: %s", (text, message) => {
  expect(() => readPriceFile(text, MAPPING)).toThrow(message);
});
