import { expect, test } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { HOSTILE } from "./hostile.ts";

test("there are at least 80 hostile documents", () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(80);
});

test.each(HOSTILE)("$name: refused with a reason, and nothing is harmed", ({ text }) => {
  const { blueprint, issues } = parseManifest(text);
  expect(blueprint).toBeUndefined();
  expect(issues.some((issue) => issue.severity === "error")).toBe(true);
  expect(issues.length).toBeLessThanOrEqual(1_001);
  expect(issues.every((issue) => issue.message.length < 600)).toBe(true);
  expect(Object.keys({}).concat(Object.keys(Object.prototype))).toEqual([]);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});
