import { expect, test } from "vitest";
import { createAbortWatch } from "./abort-watch.ts";

test("all who still wait are called, each by its own signal", () => {
  const watch = createAbortWatch();
  const [one, other] = [new AbortController(), new AbortController()];
  const called: string[] = [];
  watch.on(one.signal, () => called.push("a"));
  const leave = watch.on(one.signal, () => called.push("b"));
  watch.on(one.signal, () => called.push("c"));
  watch.on(other.signal, () => called.push("d"));
  leave();
  one.abort();
  expect(called).toEqual(["a", "c"]);
  other.abort();
  expect(called).toEqual(["a", "c", "d"]);
});
