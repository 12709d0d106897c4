import { expect, test } from "vitest";
import { createSiteRequests } from "./site-requests.ts";

function limits(atOnce: number) {
  const timers = new Set<() => void>();
  const after = (_: number, run: () => void) => {
    timers.add(run);
    return () => void timers.delete(run);
  };
  return { requests: createSiteRequests({ atOnce, patienceMs: 10_000, after }), timers };
}

test("places are given in the order of asking, and each site has its own", async () => {
  const { requests, timers } = limits(2);
  const order: string[] = [];
  const first = await requests.take("a");
  await requests.take("a");
  const later = ["third", "fourth"].map(async (name) => {
    const give = await requests.take("a");
    order.push(name);
    return give;
  });
  expect(await requests.take("b")).toBeDefined();
  expect(order).toEqual([]);
  first?.();
  const third = await later[0];
  expect(order).toEqual(["third"]);
  third?.();
  await later[1];
  expect(order).toEqual(["third", "fourth"]);
  expect(timers.size).toBe(0);
});

test("one that finds no place in time gets none, and takes none from the next", async () => {
  const { requests, timers } = limits(1);
  const first = await requests.take("a");
  const late = requests.take("a");
  for (const run of timers) run();
  expect(await late).toBeUndefined();
  first?.();
  expect(await requests.take("a")).toBeDefined();
});
