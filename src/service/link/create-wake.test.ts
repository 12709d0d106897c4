import { expect, test } from "vitest";
import { createWake } from "./create-wake.ts";

/** Whether it is resolved within the next turns. */
async function isOver(waiting: Promise<void>): Promise<boolean> {
  let is = false;
  void waiting.then(() => {
    is = true;
  });
  await new Promise(setImmediate);
  return is;
}

test("a call wakes who waits, and one that comes before is not lost", async () => {
  const wake = createWake();
  const first = wake.next();
  expect(await isOver(first)).toBe(false);
  wake.call();
  expect(await isOver(first)).toBe(true);
  wake.call();
  expect(await isOver(wake.next())).toBe(true);
  expect(await isOver(wake.next())).toBe(false);
});

test("a call after a pause that has ended is for the next wait", async () => {
  const wake = createWake();
  await wake.next(async () => {});
  wake.call();
  await new Promise(setImmediate);
  expect(await isOver(wake.next())).toBe(true);
});

test("a call calls the pause off", async () => {
  const wake = createWake();
  let signal: AbortSignal | undefined;
  const waiting = wake.next((given) => {
    signal = given;
    return new Promise(() => {});
  });
  expect(signal?.aborted).toBe(false);
  wake.call();
  await waiting;
  expect(signal?.aborted).toBe(true);
});
