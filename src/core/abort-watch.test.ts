import { expect, test } from "vitest";
import { createAbortWatch } from "./abort-watch.ts";

test("all who still wait are told, each by its own signal", () => {
  const watch = createAbortWatch();
  const [one, other] = [new AbortController(), new AbortController()];
  const told: string[] = [];
  watch.on(one.signal, () => told.push("a"));
  const leave = watch.on(one.signal, () => told.push("b"));
  watch.on(one.signal, () => told.push("c"));
  watch.on(other.signal, () => told.push("d"));
  leave();
  one.abort();
  expect(told).toEqual(["a", "c"]);
  other.abort();
  expect(told).toEqual(["a", "c", "d"]);
});
