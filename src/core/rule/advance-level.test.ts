import { expect, test } from "vitest";
import { advanceFor, advanceLevel, isAsserting, isAssertingOff, type Level, levelDue } from "./advance-level.ts";
import type { Truth } from "./truth.ts";

const TIMES = { forMs: 30, minOnMs: 60, minOffMs: 100 };
const OFF: Level = { isOn: false, since: null, trueSince: null, pausedAt: null };
const ON: Level = { isOn: true, since: 1_000, trueSince: 900, pausedAt: null };

/** What `when` says, and `if` where a rule has one. */
const after = (before: Level, now: number, said: readonly [Truth] | readonly [Truth, Truth]) =>
  advanceLevel(TIMES, before, { said: { when: said[0], if: said.length === 2 ? said[1] : true }, now });

test("a rule goes on when it was true for long enough, and stays on for its minimum time", () => {
  const armed = after(OFF, 1_000, [true]);
  expect(armed).toEqual({ ...OFF, trueSince: 1_000 });
  expect(after(armed, 1_029, [true]).isOn).toBe(false);
  expect(after(armed, 1_030, [true])).toMatchObject({ isOn: true, since: 1_030 });
  expect(after(armed, 1_030, [true, false]).isOn).toBe(false);
  expect(after(armed, 1_030, [true, undefined]).isOn).toBe(false);
  expect(after(ON, 1_059, [false]).isOn).toBe(true);
  expect(after(ON, 1_060, [false])).toMatchObject({ isOn: false, since: 1_060 });
  expect(after(ON, 1_060, [true, false]).isOn).toBe(false);
  // Unknown ends nothing.
  expect(after(ON, 9_000, [undefined]).isOn).toBe(true);
});

test("a rule stays off for its minimum time", () => {
  const off = { ...OFF, since: 1_000, trueSince: 500 };
  expect(after(off, 1_099, [true]).isOn).toBe(false);
  expect(after(off, 1_100, [true]).isOn).toBe(true);
});

test("time that is unknown does not count for `for`", () => {
  const paused = advanceFor({ trueSince: 1_000, pausedAt: null }, undefined, 1_010);
  expect(paused).toEqual({ trueSince: 1_000, pausedAt: 1_010 });
  expect(advanceFor(paused, undefined, 1_020)).toEqual(paused);
  expect(advanceFor(paused, true, 1_050)).toEqual({ trueSince: 1_040, pausedAt: null });
  // A clock that was set back takes nothing away.
  expect(advanceFor(paused, true, 900)).toEqual({ trueSince: 1_000, pausedAt: null });
  expect(advanceFor(paused, false, 1_050)).toEqual({ trueSince: null, pausedAt: null });
  expect(advanceFor({ trueSince: null, pausedAt: null }, undefined, 5)).toEqual({ trueSince: null, pausedAt: null });
});

test("claims hold while all is known to be true, and during the minimum time whatever is known", () => {
  const asserts = (level: Level, now: number, when: Truth) =>
    [isAsserting, isAssertingOff].map((one) => one(TIMES, level, { said: { when, if: true }, now }));
  expect(asserts(ON, 5_000, true)).toEqual([true, false]);
  expect(asserts(ON, 5_000, undefined)).toEqual([false, false]);
  expect(asserts(ON, 1_059, undefined)).toEqual([true, false]);
  expect(asserts(ON, 1_060, undefined)).toEqual([false, false]);
  const off = { ...OFF, since: 1_000 };
  expect(asserts(off, 5_000, false)).toEqual([false, true]);
  expect(asserts(off, 5_000, undefined)).toEqual([false, false]);
  expect(asserts(off, 1_099, undefined)).toEqual([false, true]);
  expect(asserts(off, 1_100, undefined)).toEqual([false, false]);
  expect(asserts(OFF, 5_000, true)).toEqual([false, true]);
});

test("a level is looked at again when one of its times is over", () => {
  expect(levelDue(TIMES, ON, 1_010)).toEqual([1_060]);
  expect(levelDue(TIMES, ON, 1_060)).toEqual([]);
  expect(levelDue(TIMES, { ...OFF, trueSince: 1_000 }, 1_010)).toEqual([1_030]);
  expect(levelDue(TIMES, { ...OFF, trueSince: 1_000, pausedAt: 1_005 }, 1_010)).toEqual([]);
  expect(levelDue(TIMES, { ...OFF, since: 1_000, trueSince: 1_050 }, 1_060)).toEqual([1_080, 1_100]);
});
