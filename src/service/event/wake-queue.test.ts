import { expect, test } from "vitest";
import { createWakeQueue, type Sleeper } from "./wake-queue.ts";

function openQueue(perTurn: number) {
  const turns: (() => void)[] = [];
  const woken: string[] = [];
  const queue = createWakeQueue(perTurn, (task) => turns.push(task));
  const sleeper = (key: string): Sleeper => ({ key, wake: () => woken.push(key) });
  /** Who is woken in the next turn. */
  const next = () => {
    turns.shift()?.();
    return woken.splice(0).join("");
  };
  return { queue, sleeper, next, turns, now: () => woken.splice(0).join("") };
}

test("few are woken at once", () => {
  const { queue, sleeper, now, next } = openQueue(3);
  for (const key of "abc") queue.wake(sleeper(key));
  expect([now(), next()]).toEqual(["abc", ""]);
});

test("many are woken over several turns, by turns of their keys, and no more when all are awake", () => {
  const { queue, sleeper, now, next, turns } = openQueue(3);
  for (const key of "aaaaaaaabcb") queue.wake(sleeper(key));
  expect([now(), next(), next(), next(), next()]).toEqual(["aaa", "abc", "aba", "aa", ""]);
  expect(turns).toEqual([]);
});

test("who waits already is woken once, and who has left is not", () => {
  const { queue, sleeper, now, next } = openQueue(1);
  const [first, second, third] = [sleeper("a"), sleeper("b"), sleeper("c")];
  for (const one of [first, second, second, third, second]) queue.wake(one);
  queue.forget(third);
  expect([now(), next(), next()]).toEqual(["a", "b", ""]);
});
