import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { remember } from "./cached-lookup.ts";

test("an answer is kept for a while, an empty one too, and at most so many of them", async () => {
  let now = 0;
  const asked: string[] = [];
  const lookUp = remember(
    async (key) => {
      asked.push(key);
      return key === "none" ? undefined : key.toUpperCase();
    },
    { now: () => instant(now), forMs: 100, atMost: 2 },
  );
  expect([await lookUp("a"), await lookUp("a"), await lookUp("none"), await lookUp("none")]).toEqual([
    "A",
    "A",
    undefined,
    undefined,
  ]);
  expect(asked).toEqual(["a", "none"]);
  now = 100;
  await lookUp("a");
  expect(asked).toEqual(["a", "none", "a"]);
  await lookUp("b");
  await lookUp("none");
  expect(asked).toEqual(["a", "none", "a", "b", "none"]);
});

test("a look-up that failed is tried again", async () => {
  let fails = true;
  const lookUp = remember(
    async () => {
      if (fails) throw new Error("disk");
      return 1;
    },
    { now: () => instant(0), forMs: 100, atMost: 2 },
  );
  await expect(lookUp("a")).rejects.toThrow("disk");
  fails = false;
  await expect(lookUp("a")).resolves.toBe(1);
});
