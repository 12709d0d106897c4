import { expect, test } from "vitest";
import { cronProblem, cronTimes } from "./next-time.ts";

function times(expression: string, timezone: string, from: string, count: number): readonly string[] {
  const next = cronTimes(expression, timezone);
  const found: string[] = [];
  for (let at: number | undefined = Date.parse(from); found.length < count && at !== undefined; ) {
    at = next(at);
    if (at !== undefined) found.push(new Date(at).toISOString().slice(5, 16));
  }
  return found;
}

test("a time that does not exist runs at the next moment", () => {
  expect(times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3)).toEqual([
    "03-28T01:30",
    "03-29T01:00",
    "03-30T00:30",
  ]);
});

test("a time that exists twice runs once, and intervals run through", () => {
  expect(times("30 2 * * *", "Europe/Berlin", "2026-10-24T00:00:00Z", 3)).toEqual([
    "10-24T00:30",
    "10-25T00:30",
    "10-26T01:30",
  ]);
  expect(times("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 4)).toEqual([
    "10-25T00:30",
    "10-25T01:00",
    "10-25T01:30",
    "10-25T02:00",
  ]);
});

test.each([
  ["* * * * * *", "requires exactly 5 parts"],
  ["61 * * * *", "Invalid value for minute"],
  ["", "parts"],
  ["x".repeat(101), "at most 100 characters"],
  ["* * * *", "parts are required"],
  ["@every", "parts"],
])("%j is refused", (expression, words) => {
  expect(cronProblem(expression)).toContain(words);
});

test("an expression without any time ends", () => {
  expect(cronProblem("0 0 30 2 *")).toBeUndefined();
  expect(times("0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z", 1)).toEqual([]);
});
