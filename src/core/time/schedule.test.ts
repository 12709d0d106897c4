import { expect, test } from "vitest";
import { nextMoment, parseSchedule } from "./schedule.ts";

const local = (text: string) => new Date(text).getTime();
const show = (ms: number | undefined) => {
  if (ms === undefined) return "never";
  const two = (value: number) => String(value).padStart(2, "0");
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
};

test.each([
  ["hourly", "2026-11-16T06:00", "2026-11-16T07:00"],
  ["hourly", "2026-11-16T06:59:59", "2026-11-16T07:00"],
  ["daily", "2026-11-16T02:59", "2026-11-16T03:00"],
  ["daily", "2026-11-16T03:00", "2026-11-17T03:00"],
  ["weekly", "2026-11-16T03:00", "2026-11-22T03:00"],
  ["monthly", "2026-12-02T00:00", "2027-01-01T03:00"],
  ["30 2 * * *", "2026-11-16T06:00", "2026-11-17T02:30"],
  ["*/15 * * * *", "2026-11-16T06:01", "2026-11-16T06:15"],
  ["5/20 8-10 * * *", "2026-11-16T08:25", "2026-11-16T08:45"],
  ["0 0 29 2 *", "2026-11-16T06:00", "2028-02-29T00:00"],
  ["0 12 1,15 * *", "2026-11-16T06:00", "2026-12-01T12:00"],
  ["0 12 * * 1-5", "2026-11-20T12:00", "2026-11-23T12:00"],
  ["0 12 * * 7", "2026-11-20T12:00", "2026-11-22T12:00"],
  ["0 12 20 * 1", "2026-11-16T12:00", "2026-11-20T12:00"],
])("%s after %s comes at %s", (text, after, expected) => {
  const schedule = parseSchedule(text);
  expect(schedule && show(nextMoment(schedule, local(after)))).toBe(expected);
});

test.each([
  "",
  "never",
  "* * * *",
  "60 * * * *",
  "0 24 * * *",
  "0 0 0 * *",
  "0 0 31 2 *",
  "5-1 * * * *",
  "a * * * *",
  "*/0 * * * *",
  "1,,2 * * * *",
  "0 0 * * 8",
])("%j is no schedule", (text) => expect(parseSchedule(text)).toBeUndefined());
