import type { Logger } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { repeat } from "./repeat.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a chore runs every so often and no more after it is stopped", async () => {
  let rounds = 0;
  const task = async () => {
    rounds++;
  };
  const chore = repeat(silent([]), { name: "count", everyMs: 1000, task });
  await vi.advanceTimersByTimeAsync(999);
  expect(rounds).toBe(0);
  await vi.advanceTimersByTimeAsync(3001);
  expect(rounds).toBe(4);
  await chore.stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(rounds).toBe(4);
});

test("a slow round is never joined by a second one, and stopping waits for it", async () => {
  const gate = Promise.withResolvers<void>();
  let rounds = 0;
  const task = () => {
    rounds++;
    return gate.promise;
  };
  const chore = repeat(silent([]), { name: "slow", everyMs: 1000, task });
  await vi.advanceTimersByTimeAsync(5000);
  expect(rounds).toBe(1);
  let hasStopped = false;
  const stopped = chore.stop().then(() => {
    hasStopped = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(hasStopped).toBe(false);
  gate.resolve();
  await stopped;
});

test("a failed round is logged and the next one runs", async () => {
  const logged: unknown[] = [];
  let rounds = 0;
  const task = async () => {
    if (++rounds === 1) throw new Error("the disk is full");
  };
  const chore = repeat(silent(logged), { name: "flaky", everyMs: 1000, task });
  await vi.advanceTimersByTimeAsync(2000);
  expect(rounds).toBe(2);
  expect(logged).toMatchObject([{ err: { message: "the disk is full" }, chore: "flaky" }]);
  await chore.stop();
});

test("of failures in a row the first is logged, and one after a success again", async () => {
  const logged: unknown[] = [];
  let rounds = 0;
  const task = async () => {
    if (++rounds !== 4) throw new Error(`round ${rounds}`);
  };
  const chore = repeat(silent(logged), { name: "failing", everyMs: 1000, task });
  await vi.advanceTimersByTimeAsync(7000);
  expect(logged).toMatchObject([{ err: { message: "round 1" } }, { err: { message: "round 5" } }]);
  await chore.stop();
});

function silent(logged: unknown[]): Logger {
  return { error: (fields: unknown) => logged.push(fields) } as unknown as Logger;
}
