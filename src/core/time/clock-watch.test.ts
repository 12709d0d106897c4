import { expect, test } from "vitest";
import { createClockWatch } from "./clock-watch.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function setUp(lastUse?: number) {
  const clocks = { wall: 1_000 * DAY, elapsed: 0 };
  const steps: number[] = [];
  const watch = createClockWatch({
    now: () => clocks.wall,
    elapsed: () => clocks.elapsed,
    lastUse,
    onStep: ({ from, to }) => steps.push(to - from),
  });
  const pass = (ms: number) => {
    clocks.wall += ms;
    clocks.elapsed += ms;
  };
  const set = (ms: number) => {
    clocks.wall += ms;
  };
  return { clocks, watch, steps, pass, set };
}

/** `+3d` sets the clock, `3d` lets time pass. The result is how far the latest and the earliest time are from the clock, in hours. */
test.each([
  ["", "0 0"],
  ["5d", "0 0"],
  ["+3d", "0 -72"],
  ["-3d", "72 0"],
  ["+3d 1h -3d", "72 0"],
  ["-3d 1h +3d", "0 -72"],
  ["+3d 23h", "0 -72"],
  ["+3d 24h", "0 0"],
  ["-3d 24h", "0 0"],
  ["+3d 23h +2d 2h", "0 -48"],
  ["+59s", "0 0"],
])("after [%s] the clock may be off by [%s]", (given, expected) => {
  const { clocks, watch, pass, set } = setUp();
  for (const word of given.split(" ").filter((one) => one !== "")) {
    const [, sign, count, unit = ""] = /^([+-]?)(\d+)([smhd])$/.exec(word) ?? [];
    const ms = Number(count) * ({ s: 1_000, m: MINUTE, h: HOUR, d: DAY }[unit] ?? 0);
    if (sign === "") pass(ms);
    else set(sign === "-" ? -ms : ms);
    watch.check();
  }
  const off = [watch.latest() - clocks.wall, watch.earliest() - clocks.wall];
  expect(off.map((ms) => ms / HOUR).join(" ")).toBe(expected);
});

test("a step is reported once, with its size", () => {
  const { watch, steps, pass, set } = setUp();
  set(3 * DAY);
  expect(watch.check()).toMatchObject({ to: 1_003 * DAY });
  pass(HOUR);
  expect(watch.check()).toBeUndefined();
  set(-3 * DAY);
  watch.latest();
  expect(steps).toEqual([3 * DAY, -3 * DAY]);
  expect(watch.isInDoubt()).toBe(true);
  pass(DAY);
  expect(watch.isInDoubt()).toBe(false);
});

test("a clock behind the last use of the data was set back meanwhile", () => {
  const { clocks, watch, steps } = setUp(1_002 * DAY);
  expect(steps).toEqual([-2 * DAY]);
  expect(watch.latest()).toBe(1_002 * DAY);
  expect(watch.earliest()).toBe(clocks.wall);
  expect(setUp(999 * DAY).steps).toEqual([]);
});
