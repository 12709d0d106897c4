import { expect, test } from "vitest";
import { isInWindow } from "./local-times.ts";

const DAY = Date.UTC(2026, 0, 5);
const HOUR = 3_600_000;
const at = (minutes: number) => ({ kind: "clock", minutes }) as const;
const NIGHT = { from: at(22 * 60), to: at(6 * 60), days: undefined };

test.each([
  [21.9, false, 22],
  [22, true, 30],
  [29.9, true, 30],
  [30, false, 46],
])("a window from 22:00 to 06:00, at hour %d of a day: inside %s, until hour %d", (hour, isInside, until) => {
  const found = isInWindow(NIGHT, DAY + hour * HOUR, { timezone: "UTC", location: undefined });
  expect(found).toMatchObject({ isInside, until: DAY + until * HOUR });
  expect(found.span).toEqual(isInside ? { from: DAY + 22 * HOUR, to: DAY + 30 * HOUR } : undefined);
});
