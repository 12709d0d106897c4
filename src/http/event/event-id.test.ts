import { expect, test } from "vitest";
import { createEventIds } from "./event-id.ts";

const ids = createEventIds(Buffer.alloc(16, 1));

test("an id is found again, and by no other run", () => {
  const other = createEventIds(Buffer.alloc(16, 2));
  for (const sequence of [0, 1, 2, 255, 256, 5_000, 2 ** 40]) {
    expect(ids.parse(ids.render(sequence))).toBe(sequence);
    expect(other.parse(ids.render(sequence))).toBeUndefined();
  }
});

test("ids tell neither a number nor an order", () => {
  const some = Array.from({ length: 100 }, (_, n) => ids.render(n + 1));
  expect(new Set(some).size).toBe(100);
  expect(new Set(some.map((id) => id.slice(0, 4))).size).toBeGreaterThan(95);
  expect([...some].sort()).not.toEqual(some);
});

test.each(["", "run:5", "5", "x".repeat(22), "x".repeat(23), "ä".repeat(22), "'; --"])("%j is no id", (text) => {
  expect(ids.parse(text)).toBeUndefined();
});
