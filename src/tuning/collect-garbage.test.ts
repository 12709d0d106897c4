import { expect, test } from "vitest";
import { collectGarbage } from "./collect-garbage.ts";

test("memory that nobody holds any more is gone afterwards", async () => {
  const memory = new WeakRef(new ArrayBuffer(1_000_000));
  // Until the end of this task it is held anyway.
  await new Promise((resolve) => setImmediate(resolve));
  expect(memory.deref()).toBeDefined();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(memory.deref()).toBeUndefined();
});
