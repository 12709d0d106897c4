import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const KNOWN = ["port", "host", "data", "mqtt.port", "log.level", "constructor"];

test.each<[string, string | undefined]>([
  ["prot", "port"],
  ["pot", "port"],
  ["PORT", "port"],
  ["mqtt.prt", "mqtt.port"],
  ["log.levle", "log.level"],
  ["construktor", "constructor"],
  ["toString", undefined],
  ["", undefined],
  ["x", undefined],
  ["completely.other", undefined],
  ["p".repeat(10_000), undefined],
])("the nearest known word to %j is %j", (word, expected) => {
  expect(nearest(word, KNOWN)).toBe(expected);
});
