import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { SimClock } from "../../test/simulation/sim-clock.ts";
import { createDeadlines } from "./deadlines.ts";

function setUp() {
  const clock = new SimClock(0);
  const passed: string[] = [];
  const deadlines = createDeadlines(
    (ms, callback) => clock.after(ms, callback),
    (id, deadline) => passed.push(`${id}=${deadline} at ${clock.elapsed}`),
  );
  return { clock, passed, deadlines };
}

test("a deadline passes once, with what it was set for", async () => {
  const { clock, passed, deadlines } = setUp();
  deadlines.set("a", instant(7), 100);
  deadlines.set("b", instant(8), 0);
  deadlines.set("c", instant(9), -5);
  await clock.runUntil(1_000);
  expect(passed).toEqual(["b=8 at 0", "c=9 at 0", "a=7 at 100"]);
});

test("setting it again replaces it, and clearing calls it off", async () => {
  const { clock, passed, deadlines } = setUp();
  deadlines.set("a", instant(1), 100);
  deadlines.set("b", instant(2), 100);
  await clock.runUntil(50);
  deadlines.set("a", instant(3), 100);
  deadlines.clear("b");
  deadlines.clear("unknown");
  await clock.runUntil(1_000);
  expect(passed).toEqual(["a=3 at 150"]);
});

test("a jump of the wall clock changes nothing", async () => {
  const { clock, passed, deadlines } = setUp();
  deadlines.set("a", instant(1), 100);
  clock.jump(3_600_000);
  await clock.runUntil(99);
  clock.jump(-7_200_000);
  expect(passed).toEqual([]);
  await clock.runUntil(100);
  expect(passed).toEqual(["a=1 at 100"]);
});

test("a time longer than a timer can take is waited for in full", async () => {
  const { clock, passed, deadlines } = setUp();
  const month = 31 * 86_400_000;
  deadlines.set("a", instant(1), month);
  await clock.runUntil(month - 1);
  expect(passed).toEqual([]);
  await clock.runUntil(month);
  expect(passed).toEqual([`a=1 at ${month}`]);
});

test("after the stop nothing passes, what is set later included", async () => {
  const { clock, passed, deadlines } = setUp();
  deadlines.set("a", instant(1), 10);
  deadlines.stop();
  deadlines.set("b", instant(2), 10);
  await clock.runUntil(1_000);
  expect(passed).toEqual([]);
});
