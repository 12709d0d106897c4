import { expect, test } from "vitest";
import { createByteBudget } from "./byte-budgets.ts";
import { createByteGate, type Leave } from "./byte-gate.ts";

test("work begins in its order as soon as it fits, and what is larger than all goes alone", async () => {
  const budget = createByteBudget("work", 100);
  const gate = createByteGate(budget);
  const begun: string[] = [];
  const leaves: Leave[] = [];
  const enter = async (name: string, bytes: number) => {
    leaves.push(await gate.enter(bytes));
    begun.push(name);
  };
  const all = [enter("a", 60), enter("b", 60), enter("c", 10), enter("huge", 1_000), enter("d", 1)];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect([begun.join(" "), budget.used()]).toEqual(["a", 60]);
  leaves[0]?.();
  leaves[0]?.();
  await settle();
  expect([begun.join(" "), budget.used()]).toEqual(["a b c", 70]);
  leaves[1]?.();
  leaves[2]?.();
  await settle();
  expect([begun.join(" "), budget.used()]).toEqual(["a b c huge", 100]);
  leaves[3]?.();
  await Promise.all(all);
  expect(begun.at(-1)).toBe("d");
  leaves[4]?.();
  expect(budget.used()).toBe(0);
});
