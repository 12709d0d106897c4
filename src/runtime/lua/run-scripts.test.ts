import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createScriptRunner } from "./run-scripts.ts";
import type { DeviceScript } from "./script-host.ts";

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function script(run: DeviceScript["run"], nextDue: DeviceScript["nextDue"] = () => undefined): DeviceScript {
  return {
    run,
    nextDue,
    command() {},
    configurationWritten() {},
    connectionChanged() {},
    activity: () => undefined,
    handledCommands: () => [],
    memoryBytes: () => 0,
    close() {},
  };
}

test.each([
  ["a script that computes", 1, false],
  ["three that compute", 3, false],
  ["a script that computes beside one that is due every millisecond", 1, true],
])("%s: half of the thread and no more", (_, scripts, hasNeighbour) => {
  let busyMs = 0;
  const runner = createScriptRunner({ running() {}, died() {}, turned() {} });
  const isOver = () => performance.now() >= 1_000;
  const compute = (sliceMs: number) => {
    busyMs += sliceMs;
    vi.advanceTimersByTime(sliceMs);
    return isOver() ? "idle" : "more";
  };
  for (let slot = 1; slot <= scripts; slot++) runner.add(slot, script(compute));
  const nextDue = () => (isOver() ? undefined : performance.now() + 1);
  if (hasNeighbour) {
    runner.add(
      9,
      script(() => "idle", nextDue),
    );
  }
  while (!isOver()) vi.advanceTimersByTime(1);
  expect(busyMs).toBeGreaterThan(400);
  expect(busyMs).toBeLessThan(550);
});

test("a job that is due in months does not keep its thread awake, and runs in time", () => {
  const dueAt = performance.now() + 60 * DAY_MS;
  const runs: number[] = [];
  const turned = vi.fn<() => void>();
  const runner = createScriptRunner({ running() {}, died() {}, turned });
  runner.add(
    1,
    script(
      () => {
        runs.push(performance.now());
        return "idle";
      },
      () => (runs.length > 1 ? undefined : dueAt),
    ),
  );
  vi.advanceTimersByTime(1_000);
  expect([runs.length, turned.mock.calls.length]).toEqual([1, 1]);
  vi.advanceTimersByTime(61 * DAY_MS);
  // One turn a timer: the longest there are, and the rest.
  expect([runs.length, turned.mock.calls.length]).toEqual([2, 4]);
  expect(runs[1]).toBeGreaterThanOrEqual(dueAt);
});
