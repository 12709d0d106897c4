import { expect, test } from "vitest";
import { Filters } from "./filters.ts";

test("the highest quality of all filters that match counts, also after they have changed", () => {
  const filters = new Filters();
  const of = (topic: string) => filters.qosOf(topic);
  expect([of("a/b"), of("a/b")]).toEqual([undefined, undefined]);
  filters.set("a/+", 0);
  expect([of("a/b"), of("a/b"), of("a/c"), of("b")]).toEqual([0, 0, 0, undefined]);
  filters.set("a/b", 1);
  expect([of("a/b"), of("a/c")]).toEqual([1, 0]);
  filters.delete("a/+");
  expect([of("a/b"), of("a/c"), filters.has("a/+"), filters.size]).toEqual([1, undefined, false, 1]);
  filters.delete("a/b");
  expect(of("a/b")).toBe(undefined);
});

test("more topics than are kept come out right, too", () => {
  const filters = new Filters();
  filters.set("even/#", 1);
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 300; index++) {
      expect(filters.qosOf(`${index % 2 === 0 ? "even" : "odd"}/${index}`)).toBe(index % 2 === 0 ? 1 : undefined);
    }
  }
});
