import { expect, test } from "vitest";
import { createTurnShare } from "./turn-share.ts";

/** An event loop by hand: tasks that take time, and turns. */
function createBench() {
  let now = 0;
  let next: (() => void)[] = [];
  const done: string[] = [];
  const share = createTurnShare(10, { elapsed: () => now, nextTurn: (task) => next.push(task) });
  const work = (name: string, ms: number) => () => {
    done.push(name);
    now += ms;
  };
  const turn = () => {
    const tasks = next;
    next = [];
    for (const task of tasks) task();
    return done.splice(0).join(" ");
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { share, work, turn, pass };
}

test("there is time until the share of a turn is used up, and again in the next turn", () => {
  const { share, turn, pass } = createBench();
  expect(share.hasTime()).toBe(true);
  pass(9);
  expect(share.hasTime()).toBe(true);
  pass(1);
  expect(share.hasTime()).toBe(false);
  turn();
  expect(share.hasTime()).toBe(true);
});

test("who waits comes in later turns, in order, as long as each has time", () => {
  const { share, work, turn } = createBench();
  for (const [name, ms] of [
    ["a", 4],
    ["b", 7],
    ["c", 1],
    ["d", 30],
    ["e", 1],
  ] as const)
    share.later(work(name, ms));
  expect([turn(), turn(), turn(), turn()]).toEqual(["a b", "c d", "e", ""]);
});

test("who asks again while others wait comes after them", () => {
  const { share, work, turn } = createBench();
  const again = () => {
    work("a", 10)();
    share.later(work("a2", 10));
  };
  share.later(again);
  share.later(work("b", 10));
  expect([turn(), turn(), turn()]).toEqual(["a", "b", "a2"]);
});

test("what waiting ones use of a turn is not there for others", () => {
  const { share, work, turn } = createBench();
  share.later(work("a", 12));
  turn();
  expect(share.hasTime()).toBe(false);
  turn();
  expect(share.hasTime()).toBe(true);
});

test("one that fails does not take the others with it", () => {
  const { share, work, turn } = createBench();
  share.later(() => {
    throw new Error("no");
  });
  share.later(work("b", 1));
  expect(turn).toThrow("no");
  expect(turn()).toBe("b");
});
