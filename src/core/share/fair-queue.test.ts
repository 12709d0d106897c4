import { expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

/** Takes tasks one after the other; what each key's tasks cost is charged. */
function serve(tasks: string, costs: Readonly<Record<string, number>>, count: number): string {
  const queue = createFairQueue<object>();
  for (const key of tasks) queue.push(key, {});
  let served = "";
  for (let n = 0; n < count; n++) {
    const next = queue.shift();
    if (next === undefined) break;
    served += next.key;
    queue.charge(next.key, costs[next.key] ?? 1);
  }
  return served;
}

const count = (text: string, key: string) => [...text].filter((one) => one === key).length;

test("keys have the same of what is scarce, however dear the tasks of one are", () => {
  const served = serve("a".repeat(500) + "b".repeat(500), { a: 0.25, b: 5 }, 210);
  expect([count(served, "a"), count(served, "b")]).toEqual([200, 10]);
});

test("one that comes late goes before a greedy one's next task", () => {
  expect(serve("aaaaaab", { a: 100 }, 3)).toBe("aba");
});

test("who may not go for long saves up nothing", () => {
  const queue = createFairQueue<object>();
  for (let n = 0; n < 50; n++) for (const key of "ab") queue.push(key, {});
  queue.charge("a", 1);
  for (let n = 0; n < 20; n++) {
    queue.shift((key) => key === "b");
    queue.charge("b", 1);
  }
  let served = "";
  for (let n = 0; n < 6; n++) {
    const { key = "" } = queue.shift() ?? {};
    served += key;
    queue.charge(key, 1);
  }
  expect(count(served, "b")).toBeGreaterThanOrEqual(2);
});

test("debts of a hundred thousand keys are not kept, also while somebody waits", () => {
  const queue = createFairQueue<object>();
  queue.push("waits", {});
  for (let n = 0; n < 100_000; n++) queue.charge(`key ${n}`, 1);
  expect(queue.keys).toBeLessThan(20_000);
  queue.shift();
  expect(queue.keys).toBe(0);
});
