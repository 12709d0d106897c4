import { afterEach, expect, test, vi } from "vitest";
import { runWithDeadline } from "./run-with-deadline.ts";

afterEach(() => vi.restoreAllMocks());

/** Longer than any deadline here, and without anything that could be looked at meanwhile. */
function spin(): never {
  for (;;);
}

test("work that ends in time gives its value, and what it throws is thrown", () => {
  expect(runWithDeadline(1_000, () => 7)).toEqual({ ended: true, value: 7 });
  expect(() =>
    runWithDeadline(1_000, () => {
      throw new Error("its own");
    }),
  ).toThrow("its own");
});

test("work that has used its time is stopped, and does not start over", () => {
  let used = 0;
  vi.spyOn(process, "threadCpuUsage").mockImplementation(() => ({ user: used, system: 0 }));
  let starts = 0;
  const outcome = runWithDeadline(20, () => {
    starts++;
    used += 15_000;
    spin();
  });
  expect([outcome, starts]).toEqual([{ ended: false }, 1]);
});

test("work that the machine has not let run starts over, but not for ever", () => {
  vi.spyOn(process, "threadCpuUsage").mockReturnValue({ user: 0, system: 0 });
  let starts = 0;
  const outcome = runWithDeadline(20, () => {
    starts++;
    return starts < 3 ? spin() : "done";
  });
  expect(outcome).toEqual({ ended: true, value: "done" });
  starts = 0;
  const stopped = runWithDeadline(20, () => {
    starts++;
    spin();
  });
  expect([stopped, starts]).toEqual([{ ended: false }, 5]);
});
