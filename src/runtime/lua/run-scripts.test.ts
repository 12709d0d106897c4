import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DAY_MS } from "#core/time/hour.ts";
import { createScriptRunner } from "./run-scripts.ts";
import type { DeviceScript } from "./script-host.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function script(run: DeviceScript["run"], nextDue: DeviceScript["nextDue"] = () => undefined): DeviceScript {
  return {
    run,
    nextDue,
    command() {},
    configurationWritten() {},
    connectionChanged() {},
    triggered: () => false,
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
  for (let slot = 1; slot <= scripts; slot++) runner.add(slot, "site", script(compute));
  const nextDue = () => (isOver() ? undefined : performance.now() + 1);
  if (hasNeighbour) {
    runner.add(
      9,
      "site",
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
    "site",
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

test("scripts of one site that are held up one after the other keep another site's script waiting for one of them", () => {
  vi.spyOn(process, "threadCpuUsage").mockImplementation(() => ({ user: performance.now() * 1_000, system: 0 }));
  const began = performance.now();
  const runner = createScriptRunner({ running() {}, died() {}, turned() {} });
  const order: string[] = [];
  const isLater = () => performance.now() >= began + 1_000;
  const once = (name: string, run: () => void) => {
    let isDone = false;
    const due = () => (isDone ? undefined : began + 1_000);
    return script(() => {
      if (isLater() && !isDone) {
        isDone = true;
        order.push(name);
        run();
      }
      return "idle";
    }, due);
  };
  const heldUp = () => {
    vi.advanceTimersByTime(200);
    runner.wake(9);
  };
  for (let slot = 1; slot <= 8; slot++) runner.add(slot, "hostile", once("held up", heldUp));
  runner.add(
    9,
    "honest",
    script(() => {
      if (isLater()) order.push("honest");
      return "idle";
    }),
  );
  vi.advanceTimersByTime(10_000);
  expect(order.filter((name) => name === "held up")).toHaveLength(8);
  expect(order.slice(0, 4)).toEqual(["held up", "honest", "held up", "honest"]);
});
