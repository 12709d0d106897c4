import { expect, test } from "vitest";
import { AT_ONCE, type Outcome, runMany, summarise } from "./run-many.ts";

const ITEMS = Array.from({ length: 10 }, (_, index) => index);

test("each item has its own end, a few run at a time, and a fault of one is no fault of the others", async () => {
  const ends = new Map<number, Outcome>();
  let running = 0;
  let most = 0;
  await runMany({
    items: ITEMS,
    report: (item, outcome) => ends.set(item, outcome),
    signal: new AbortController().signal,
    work: async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      if (item === 3) throw new Error("no");
      return { state: "done" };
    },
  });
  expect(most).toBe(AT_ONCE);
  expect(ends.get(3)).toEqual({ state: "failed", text: "Error: no" });
  expect(summarise(ends.values())).toEqual({ ended: 10, done: 9, bad: 1 });
});

test("what was not begun when somebody stopped is left, and what was under way ends", async () => {
  const ends = new Map<number, Outcome>();
  const stop = new AbortController();
  await runMany({
    items: ITEMS,
    report: (item, outcome) => ends.set(item, outcome),
    signal: stop.signal,
    work: async (item) => {
      if (item === 1) stop.abort();
      await Promise.resolve();
      return { state: "done" };
    },
  });
  const left = [...ends.values()].filter(({ state }) => state === "left").length;
  expect(left).toBeGreaterThanOrEqual(ITEMS.length - AT_ONCE - 1);
  expect(summarise(ends.values())).toEqual({ ended: 10, done: 10 - left, bad: left });
});
