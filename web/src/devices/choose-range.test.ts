import { expect, test } from "vitest";
import { chooseRange } from "./choose-range.ts";

const ids = ["a", "b", "c", "d"];

test.each([
  ["", undefined, "b", true, "b"],
  ["b", undefined, "b", false, ""],
  ["a", "a", "c", true, "a b c"],
  ["d", "d", "b", true, "d b c"],
  ["a b c d", "b", "c", false, "a d"],
  // The one before may have left the list since.
  ["x", "x", "c", true, "x c"],
] as const)("chosen [%s], from %s to %s: %s gives [%s]", (chosen, from, to, isOn, expected) => {
  const after = chooseRange(new Set(chosen.split(" ").filter(Boolean)), { ids, from, to, isOn });
  expect([...after].join(" ")).toBe(expected);
});
