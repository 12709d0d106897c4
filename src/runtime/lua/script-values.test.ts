import { expect, test } from "vitest";
import type { LuaValue } from "#drivers/lua-value.ts";
import { parseScriptValues } from "./script-values.ts";

test.each<[LuaValue, number | undefined]>([
  [0, 0],
  [1_700_000_000, 1_700_000_000_000],
  [1_700_000_000.25, 1_700_000_000_250],
  [-1, undefined],
  [-1e306, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [1_700_000_000_000, undefined],
  ["now", undefined],
])("a timestamp of %s is taken as %s, or stays among the values to be refused there", (timestamp, takenAt) => {
  const parsed = parseScriptValues(new Map([["timestamp", timestamp]]));
  expect(parsed.takenAt).toBe(takenAt);
  expect(parsed.values.has("timestamp")).toBe(takenAt === undefined);
});
