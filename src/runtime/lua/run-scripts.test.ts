import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createScriptRunner } from "./run-scripts.ts";

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a job that is due in months does not keep its thread awake, and runs in time", () => {
  const dueAt = performance.now() + 60 * DAY_MS;
  const runs: number[] = [];
  const turned = vi.fn<() => void>();
  const runner = createScriptRunner({ running() {}, died() {}, turned });
  runner.add(1, {
    nextDue: () => (runs.length > 1 ? undefined : dueAt),
    run() {
      runs.push(performance.now());
      return "idle";
    },
    command() {},
    configurationWritten() {},
    connectionChanged() {},
    handledCommands: () => [],
    memoryBytes: () => 0,
    close() {},
  });
  vi.advanceTimersByTime(1_000);
  expect([runs.length, turned.mock.calls.length]).toEqual([1, 1]);
  vi.advanceTimersByTime(61 * DAY_MS);
  // One turn a timer: the longest there are, and the rest.
  expect([runs.length, turned.mock.calls.length]).toEqual([2, 4]);
  expect(runs[1]).toBeGreaterThanOrEqual(dueAt);
});
