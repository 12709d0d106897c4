import { expect, test } from "vitest";
import { judgeDue, type MissedRule } from "./schedule.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Every full hour. */
const hourly = (after: number) => (Math.floor(after / HOUR) + 1) * HOUR;
const once = () => undefined;

const judge = (
  nowMs: number,
  missed: MissedRule,
  { lateMs = 2 * HOUR, next = hourly as (after: number) => number | undefined } = {},
) => judgeDue({ nextAt: 10 * HOUR, missed, lateMs }, next, nowMs);

test("on time it runs, and the next time is the one after", () => {
  expect(judge(10 * HOUR + 500, "skip")).toEqual({
    run: { dueAt: 10 * HOUR, lateMs: 500 },
    skipped: undefined,
    nextAt: 11 * HOUR,
  });
});

test("a missed time is skipped, or made up for within its bound, and never silently", () => {
  const now = 10 * HOUR + 30 * MINUTE;
  expect(judge(now, "skip")).toMatchObject({
    run: undefined,
    skipped: { dueAt: 10 * HOUR, reason: "the time was missed" },
  });
  expect(judge(now, "run_late")).toMatchObject({ run: { dueAt: 10 * HOUR, lateMs: 30 * MINUTE }, skipped: undefined });
  expect(judge(now, "run_late", { lateMs: 20 * MINUTE })).toMatchObject({
    run: undefined,
    skipped: { dueAt: 10 * HOUR },
  });
  expect(judge(now, "run_late", { next: once })).toMatchObject({ run: { dueAt: 10 * HOUR }, nextAt: undefined });
});

test("of many missed times the last one runs, and the others are counted", () => {
  const now = 15 * HOUR + 10 * MINUTE;
  expect(judge(now, "run_late")).toEqual({
    run: { dueAt: 15 * HOUR, lateMs: 10 * MINUTE },
    skipped: { dueAt: 10 * HOUR, reason: "5 times were missed" },
    nextAt: 16 * HOUR,
  });
  expect(judge(now, "skip")).toMatchObject({
    run: undefined,
    skipped: { dueAt: 15 * HOUR, reason: "6 times were missed" },
  });
  expect(judge(15 * HOUR, "skip")).toMatchObject({ run: { dueAt: 15 * HOUR, lateMs: 0 } });
});

test("years of missed times are not walked through", () => {
  let asked = 0;
  const counted = (after: number) => {
    asked++;
    return hourly(after);
  };
  const now = 100_000 * HOUR + 5 * MINUTE;
  const due = judge(now, "run_late", { next: counted });
  expect(due.run?.dueAt).toBe(100_000 * HOUR);
  expect(due.skipped?.reason).toBe("at least 1000 times were missed");
  expect(asked).toBeLessThan(3_000);
});

test("a clock that was set back does not run the same time again", () => {
  const first = judge(10 * HOUR, "skip");
  expect(first.nextAt).toBe(11 * HOUR);
  // The chore asks for what is due by 9:30, and 11:00 is not.
  expect((first.nextAt ?? 0) <= 9.5 * HOUR).toBe(false);
});
