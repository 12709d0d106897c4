import { expect, test } from "vitest";
import { MOST_ROWS, readPriceFile } from "./price-file.ts";

const zone = "Europe/Berlin";

test("lines with commas or semicolons, with and without offsets, with a first line of names", () => {
  expect(readPriceFile("time,price\n2026-11-18T00:00:00Z,0.31\n2026-11-18T00:15:00Z,-0.02\n", zone)).toEqual({
    rows: [
      { from: "2026-11-18T00:00:00.000Z", price: 0.31 },
      { from: "2026-11-18T00:15:00.000Z", price: -0.02 },
    ],
    duration: "15m",
    wrong: [],
  });
  expect(readPriceFile('\uFEFF"Datum";"Preis"\r\n2026-07-01 00:00;0,31\r\n2026-07-01 01:00;0,28', zone)).toEqual({
    rows: [
      { from: "2026-06-30T22:00:00.000Z", price: 0.31 },
      { from: "2026-06-30T23:00:00.000Z", price: 0.28 },
    ],
    duration: "1h",
    wrong: [],
  });
});

test("what is no price is named by its line", () => {
  expect(readPriceFile("2026-11-18T00:00:00Z,1\nyesterday,2\n2026-11-18T01:00:00Z,\n", zone).wrong).toEqual([2, 3]);
});

test("a file with too many lines is cut", () => {
  const lines = Array.from({ length: MOST_ROWS + 5 }, (_, index) => `${new Date(index * 900_000).toISOString()},1`);
  const { rows, wrong } = readPriceFile(lines.join("\n"), zone);
  expect([rows.length, wrong.length]).toEqual([MOST_ROWS, 5]);
});
