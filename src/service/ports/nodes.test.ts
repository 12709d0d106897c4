import { expect, test } from "vitest";
import { oneNode } from "./nodes.ts";

test("a claim is had by one part of a process at a time", async () => {
  const nodes = oneNode();
  const first = await nodes.claim("gateway g");
  expect(await nodes.claim("gateway g")).toBeUndefined();
  expect(await nodes.claim("gateway h")).toBeDefined();
  await first?.release();
  const second = await nodes.claim("gateway g");
  expect(second).toBeDefined();
  // Who has released a claim already does not release that of the next one.
  await first?.release();
  expect(await nodes.claim("gateway g")).toBeUndefined();
});
