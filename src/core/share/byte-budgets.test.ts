import { expect, test } from "vitest";
import { createByteBudgets } from "./byte-budgets.ts";

test("a budget takes what fits, refuses what does not, and has room again for what was given back", () => {
  const budget = createByteBudgets().open("events", 100);
  expect([budget.take(60), budget.take(41), budget.used()]).toEqual([true, false, 60]);
  budget.give(20);
  expect([budget.take(41), budget.used()]).toEqual([true, 81]);
  budget.give(1_000);
  expect(budget.used()).toBe(0);
});

test("the list has every buffer, also those that count for themselves, and each name once", () => {
  const budgets = createByteBudgets();
  budgets.open("events", 100).take(7);
  budgets.watch({ name: "journal", limit: 64, used: () => 3 });
  expect(budgets.list().map(({ name, limit, used }) => [name, limit, used()])).toEqual([
    ["events", 100, 7],
    ["journal", 64, 3],
  ]);
  expect(() => budgets.open("journal", 1)).toThrow("two buffers named journal");
});
