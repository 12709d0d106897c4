import { expect, test } from "vitest";
import { adjustmentToday, type Correction, parseNewStart } from "./counter-steps.ts";

const at = (minutes: number) => new Date(minutes * 60_000).toISOString();
const correction = (given: Partial<Correction>) =>
  ({ device_id: "d", attribute: "a", at: at(5), adjustment: -2_000, ...given }) as Correction;

test("today's rise of a counter is corrected by what belongs to it and to today", () => {
  const of = { deviceId: "d", attribute: "a", dayStart: 5 * 60_000 };
  const corrections = [
    correction({}),
    correction({ at: at(6), adjustment: 500 }),
    correction({ at: at(4) }),
    correction({ device_id: "e" }),
    correction({ attribute: "b" }),
    correction({ adjustment: null }),
  ];
  expect(adjustmentToday(corrections, of)).toBe(-1.5);
  expect(adjustmentToday([], of)).toBe(0);
});

test.each([
  ["", undefined],
  [" 12.5 ", 12.5],
  ["12,5", 12.5],
  ["100", 100],
  ["101", Number.NaN],
  ["-1", Number.NaN],
  ["much", Number.NaN],
])("the start %j of a new counter that shows 100 is %s", (text, expected) => {
  expect(parseNewStart(text, { value: 100 })).toBe(expected);
});
