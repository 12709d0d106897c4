import { expect, test } from "vitest";
import { parsePeriod } from "./parse-period.ts";

const NOW = Date.parse("2026-03-29T23:30:00Z");

test.each([
  ["today", "Europe/Berlin", "2026-03-29T22:00 2026-03-30T22:00"],
  ["yesterday", "Europe/Berlin", "2026-03-28T23:00 2026-03-29T22:00"],
  ["today", "America/New_York", "2026-03-29T04:00 2026-03-30T04:00"],
  ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00 2026-10-25T23:00"],
  ["2026-03", "Europe/Berlin", "2026-02-28T23:00 2026-03-31T22:00"],
  ["2026-12", "Asia/Kolkata", "2026-11-30T18:30 2026-12-31T18:30"],
  ["2024", "Pacific/Kiritimati", "2023-12-31T10:00 2024-12-31T10:00"],
  ["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00 2018-11-05T02:00"],
])("%s in %s is %s", (text, timezone, expected) => {
  const { from = 0, to = 0 } = parsePeriod(text, timezone, NOW) ?? {};
  expect([from, to].map((at) => new Date(at).toISOString().slice(0, 16)).join(" ")).toBe(expected);
});

test.each(["", "now", "2026-13", "2026-02-30", "26", "2026-1", "2026-11-15T00:00:00Z"])("%j is no period", (text) => {
  expect(parsePeriod(text, "Europe/Berlin", NOW)).toBeUndefined();
});

test("a day that a zone left out is no period", () => {
  expect(parsePeriod("2011-12-30", "Pacific/Apia", NOW)).toBeUndefined();
});
