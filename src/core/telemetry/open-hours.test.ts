import fc from "fast-check";
import { expect, test } from "vitest";
import { HOUR_MS } from "#core/time/hour.ts";
import {
  dueHours,
  isJournaled,
  isScattered,
  NONE_JOURNALED,
  type OpenHour,
  oldestNeeded,
  withSealed,
} from "./open-hours.ts";

const open = (hour: number, more: Partial<OpenHour> = {}): OpenHour => ({
  device: 1,
  hour,
  points: 100,
  firstSequence: 1,
  lastSequence: 1,
  seenAt: 0,
  waitsUntil: 0,
  ...more,
});
const at = (hours: number) => ({ now: hours * HOUR_MS, elapsed: 0, graceMs: 60_000, isFull: false });
const hoursOf = (due: readonly OpenHour[]) => due.map(({ hour }) => hour);

test("an hour is due when its time to be late is over, and not a moment before", () => {
  const end = 11 * HOUR_MS + 60_000;
  expect(hoursOf(dueHours([open(10)], { ...at(0), now: end - 1 }, {}))).toEqual([]);
  expect(hoursOf(dueHours([open(10)], { ...at(0), now: end }, {}))).toEqual([10]);
});

test("an hour that lies ahead is due after it was in memory for an hour and the time to be late", () => {
  const ahead = open(500, { seenAt: 1_000 });
  const elapsed = 1_000 + HOUR_MS + 60_000;
  expect(dueHours([ahead], { ...at(10), elapsed: elapsed - 1 }, {})).toEqual([]);
  expect(dueHours([ahead], { ...at(10), elapsed }, {})).toEqual([ahead]);
});

test("an hour that nobody has looked at yet has been in memory for no time", () => {
  expect(dueHours([open(500, { seenAt: undefined })], { ...at(10), elapsed: 9 * HOUR_MS }, {})).toEqual([]);
});

test("an hour that has to wait is not due, even when memory is full", () => {
  const waiting = open(10, { waitsUntil: 5_000 });
  expect(dueHours([waiting], { ...at(20), elapsed: 4_999, isFull: true }, {})).toEqual([]);
  expect(dueHours([waiting], { ...at(20), elapsed: 5_000 }, {})).toEqual([waiting]);
});

test("when memory is full, every hour is due, the oldest first", () => {
  const hours = [open(12), open(10), open(11)];
  expect(hoursOf(dueHours(hours, { ...at(0), isFull: true }, {}))).toEqual([10, 11, 12]);
});

test("one step takes as many hours or points as it may, and always one", () => {
  const hours = [open(1), open(2), open(3)];
  expect(hoursOf(dueHours(hours, at(9), { hours: 2 }))).toEqual([1, 2]);
  expect(hoursOf(dueHours(hours, at(9), { points: 280 }))).toEqual([1, 2]);
  expect(hoursOf(dueHours(hours, at(9), { points: 279 }))).toEqual([1]);
  expect(hoursOf(dueHours(hours, at(9), { points: 1 }))).toEqual([1]);
});

test("points are scattered when open columns pass two for each series and some more, or a tenth of the points", () => {
  expect(isScattered(8_192 + 20, 10, 1_000_000)).toBe(false);
  expect(isScattered(8_192 + 21, 10, 1_000_000)).toBe(true);
  expect(isScattered(1_000, 1_000, 10_000)).toBe(false);
  expect(isScattered(1_001, 1_000, 10_000)).toBe(true);
});

test("the journal is needed from the oldest row of an hour that stays", () => {
  const [leaving, staying] = [open(1, { firstSequence: 3 }), open(2, { firstSequence: 5 })];
  expect(oldestNeeded([leaving, staying], new Set(), 9)).toBe(3);
  expect(oldestNeeded([leaving, staying], new Set([leaving]), 9)).toBe(5);
  expect(oldestNeeded([leaving, staying], new Set([leaving, staying]), 9)).toBe(9);
});

/** One write to an hour, or a sealing of all hours up to one. */
type Step = { readonly write: number } | { readonly sealTo: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(fc.record({ write: fc.integer({ min: 0, max: 5 }) }), fc.record({ sealTo: fc.integer({ min: 0, max: 5 }) })),
  { maxLength: 40 },
);

test("after any writes and sealings: no row of an open hour is deleted, and sealed hours with rows left are known", () => {
  fc.assert(
    fc.property(steps, (all) => {
      let sequence = 0;
      let oldest = 1;
      let journaled = NONE_JOURNALED;
      const hours = new Map<number, OpenHour>();
      /** Every row with its hour: the plain record of what the journal was given. */
      const rows: { readonly sequence: number; readonly hour: number }[] = [];
      for (const step of all) {
        if ("write" in step) {
          sequence++;
          rows.push({ sequence, hour: step.write });
          const before = hours.get(step.write);
          hours.set(
            step.write,
            open(step.write, { firstSequence: before?.firstSequence ?? sequence, lastSequence: sequence }),
          );
        } else {
          const leaving = new Set([...hours.values()].filter(({ hour }) => hour <= step.sealTo));
          if (leaving.size === 0) continue;
          oldest = oldestNeeded(hours.values(), leaving, sequence + 1);
          journaled = withSealed(journaled, leaving, oldest);
          for (const { hour } of leaving) hours.delete(hour);
        }
        const left = rows.filter((row) => row.sequence >= oldest);
        for (const { firstSequence } of hours.values()) expect(firstSequence).toBeGreaterThanOrEqual(oldest);
        for (const { hour } of left) expect(hours.has(hour) || isJournaled(journaled, 1, hour)).toBe(true);
        expect([...journaled.values()].every((newest) => newest >= oldest)).toBe(true);
      }
    }),
  );
});
