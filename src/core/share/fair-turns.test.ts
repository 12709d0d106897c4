import { expect, test } from "vitest";
import { createFairTurns, type TurnLimits } from "./fair-turns.ts";

/** An event loop by hand: tasks that take time, and turns. */
function createBench(limits: Partial<TurnLimits> = {}) {
  let now = 0;
  let next: (() => void)[] = [];
  const settling: (() => void)[] = [];
  const done: string[] = [];
  const loop = {
    elapsed: () => now,
    nextTurn: (task: () => void) => void next.push(task),
    settled: (task: () => void) => void settling.push(task),
  };
  const share = createFairTurns({ ms: 10, servingMs: 10, waiting: 1_000, waitingPerKey: 1_000, ...limits }, loop);
  const work = (name: string, ms: number) => () => {
    done.push(name);
    now += ms;
  };
  const settle = () => {
    for (let task = settling.shift(); task !== undefined; task = settling.shift()) task();
  };
  const turn = () => {
    const tasks = next;
    next = [];
    for (const task of tasks) {
      try {
        task();
      } finally {
        settle();
      }
    }
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
    share.later("key", work(name, ms));
  expect([turn(), turn(), turn(), turn()]).toEqual(["a b", "c d", "e", ""]);
});

test("who asks again while others wait comes after them", () => {
  const { share, work, turn } = createBench();
  const again = () => {
    work("a", 10)();
    share.later("key", work("a2", 10));
  };
  share.later("key", again);
  share.later("key", work("b", 10));
  expect([turn(), turn(), turn()]).toEqual(["a", "b", "a2"]);
});

test("what waiting ones use of a turn is not there for others", () => {
  const { share, work, turn } = createBench();
  share.later("key", work("a", 12));
  turn();
  expect(share.hasTime()).toBe(false);
  turn();
  expect(share.hasTime()).toBe(true);
});

test("one that fails does not take the others with it", () => {
  const { share, work, turn } = createBench();
  share.later("key", () => {
    throw new Error("no");
  });
  share.later("key", work("b", 1));
  expect(turn).toThrow("no");
  expect(turn() + turn()).toBe("b");
});

test("a late key's task comes after one of a greedy key, not after all of them", () => {
  const { share, work, turn } = createBench();
  for (let n = 0; n < 100; n++) share.later("greedy", work("g", 20));
  share.later("other", work("other", 1));
  expect([turn(), turn(), turn()]).toEqual(["g", "other g", "g"]);
});

test("keys have the same time, however long the tasks of one take", () => {
  const { share, work, turn } = createBench();
  for (let n = 0; n < 500; n++) {
    share.later("slow", work("s", 8));
    share.later("quick", work("q", 1));
  }
  const served: string[] = [];
  while (served.length < 180) served.push(...turn().split(" "));
  const slow = served.filter((one) => one === "s").length;
  expect(slow / (served.length - slow)).toBeCloseTo(1 / 8, 1);
});

test("no more than so many wait, of a key and in all, and a large task takes several places", () => {
  const { share, work, turn } = createBench({ waiting: 5, waitingPerKey: 3 });
  const ask = (key: string, places?: number) => share.later(key, work(key, 10), places);
  expect([ask("a", 2), ask("a", 2), ask("a"), ask("b", 3), ask("b"), ask("b")]).toEqual([
    ...[true, false, true, false, true, true],
  ]);
  expect([share.waiting, share.refused]).toEqual([4, 2]);
  for (let n = 0; n < 5; n++) turn();
  expect([share.waiting, ask("a", 3)]).toEqual([0, true]);
});
