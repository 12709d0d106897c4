import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { afterAttempt, GIVE_UP_AFTER_MS } from "./after-attempt.ts";

const START = instant(1_000_000);
const giveUpAt = instant(START + GIVE_UP_AFTER_MS);
const failed = (attempts: number, chance: number, at = START) =>
  afterAttempt({ attempts, giveUpAt }, { at, status: 500, error: "answered 500" }, chance);

test("what the receiver took is delivered", () => {
  expect(afterAttempt({ attempts: 2, giveUpAt }, { at: START, status: 204, error: undefined }, 0)).toEqual({
    state: "DELIVERED",
    attempts: 3,
    status: 204,
    error: undefined,
    nextAttemptAt: undefined,
    finishedAt: START,
  });
});

test.each([
  [0, 5, 10],
  [1, 10, 20],
  [2, 20, 40],
  [5, 160, 320],
  [8, 1280, 2560],
  [9, 1800, 3600],
  [50, 1800, 3600],
  [5_000, 1800, 3600],
])("after %i failures before, the pause is from %i to %i seconds", (attempts, shortest, longest) => {
  const pause = (chance: number) => ((failed(attempts, chance).nextAttemptAt ?? 0) - START) / 1000;
  expect([pause(0), pause(1)]).toEqual([shortest, longest]);
});

test("the whole is given up after a day", () => {
  let [at, attempts, last] = [START, 0, START];
  for (let next: typeof at | undefined = START; next !== undefined; attempts++) {
    [last, at] = [at, next];
    const outcome = failed(attempts, 0.5, at);
    next = outcome.nextAttemptAt;
    expect(outcome.state).toBe(next === undefined ? "DEAD" : "PENDING");
  }
  expect(at).toBeGreaterThan(giveUpAt - 3_600_000);
  expect(at).toBeLessThan(giveUpAt);
  expect(at).toBeGreaterThan(last);
  expect(attempts).toBeLessThan(60);
});
