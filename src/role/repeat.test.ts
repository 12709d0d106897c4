import type { Logger } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createChoreHealth } from "#service/chore-health.ts";
import { createTroubles } from "#service/troubles.ts";
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
  const chore = repeat(needs([]), { name: "count", everyMs: 1000, task });
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
  const chore = repeat(needs([]), { name: "slow", everyMs: 1000, task });
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
  const chore = repeat(needs(logged), { name: "flaky", everyMs: 1000, task });
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
  const chore = repeat(needs(logged), { name: "failing", everyMs: 1000, task });
  await vi.advanceTimersByTimeAsync(7000);
  expect(logged).toMatchObject([{ err: { message: "round 1" } }, { err: { message: "round 5" } }]);
  await chore.stop();
});

test("work that goes on failing is a trouble and is counted, until it succeeds; seldom work is tried again sooner", async () => {
  const troubles = createTroubles(() => {});
  const choreHealth = createChoreHealth(troubles);
  let isWell = false;
  const task = async () => {
    if (!isWell) throw new Error("the database refuses it");
  };
  const log = needs([]).log;
  const seldom = repeat({ log, choreHealth }, { name: "prune logs", everyMs: 600_000, task });
  const often = repeat({ log, choreHealth }, { name: "watch", everyMs: 1_000, task: async () => {} });
  await vi.advanceTimersByTimeAsync(600_000 + 60_000);
  expect(troubles.list()).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  const trouble = { part: "chores", message: "recurring work fails again and again: prune logs" };
  expect(troubles.list()).toEqual([trouble]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([...choreHealth.failures()]).toEqual([["prune logs", 4]]);
  isWell = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(troubles.list()).toEqual([]);
  await seldom.stop();
  await often.stop();
});

function needs(logged: unknown[]): Parameters<typeof repeat>[0] {
  const log = { error: (fields: unknown) => logged.push(fields) } as unknown as Logger;
  return { log, choreHealth: createChoreHealth(createTroubles(() => {})) };
}
