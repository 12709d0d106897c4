import { expect, test } from "vitest";
import { createByteBudget } from "./byte-budgets.ts";
import { createByteShares } from "./byte-shares.ts";

test("one key cannot fill the budget of all, and what is given back once has room again", () => {
  const budget = createByteBudget("bodies", 100);
  const shares = createByteShares(budget, 40);
  const first = shares.take("a", 40);
  expect(shares.take("a", 1)).toBe("key is full");
  expect([shares.take("b", 40), shares.take("c", 30)]).toEqual([expect.any(Function), "all is full"]);
  if (typeof first === "function") {
    first();
    first();
  }
  expect([budget.used(), shares.take("a", 40), budget.used()]).toEqual([40, expect.any(Function), 80]);
});
