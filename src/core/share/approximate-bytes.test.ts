import { expect, test } from "vitest";
import { approximateBytes } from "./approximate-bytes.ts";

test.each([
  ["nothing", undefined, 8],
  ["a number", 1.5, 8],
  ["a text", "x".repeat(100), 108],
  ["bytes", new Uint8Array(1_000), 1_008],
  ["a list", [1, 2, 3], 32],
  ["an object with its keys", { ab: "cd" }, 28],
  ["a map", new Map([["ab", 1]]), 26],
])("%s", (_, value, expected) => {
  expect(approximateBytes(value)).toBe(expected);
});

test("a value may be of any depth", () => {
  let deep: unknown[] = [];
  for (let n = 0; n < 100_000; n++) deep = [deep];
  expect(approximateBytes(deep)).toBe(800_008);
});
