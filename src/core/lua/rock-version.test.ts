import { expect, test } from "vitest";
import { compareRockVersions, parseDependency, parseRockVersion, satisfies } from "./rock-version.ts";

test.each([
  ["1.0", "<", "1.1"],
  ["1.9", "<", "1.10"],
  ["1.0", "=", "1.0.0"],
  ["1.0-1", "<", "1.0-2"],
  ["1.0", "=", "1.0-2"],
  ["1.0-rc1", "<", "1.0"],
  ["1.0beta2", "<", "1.0rc1"],
  ["1.0alpha", "<", "1.0beta"],
  ["99.0", "<", "scm-1"],
  ["1.0a", ">", "1.0"],
])("%s %s %s", (one, sign, other) => {
  const order = compareRockVersions(parseRockVersion(one), parseRockVersion(other));
  expect(order < 0 ? "<" : order > 0 ? ">" : "=").toBe(sign);
});

test.each([
  ["inspect", "3.1.3-0", true],
  ["inspect 3.1.3", "3.1.3-0", true],
  ["inspect = 3.1.3-1", "3.1.3-0", false],
  ["inspect >= 3.1, < 4", "3.1.3-0", true],
  ["inspect>=3.1,<3.1.3", "3.1.3-0", false],
  ["inspect ~> 3.1", "3.1.9-1", true],
  ["inspect ~> 3.1", "3.2-1", false],
  ["inspect ~= 3.1.3", "3.1.3-2", false],
  ["inspect != 3.1.3", "3.1.4-2", true],
  ["inspect > 3", "scm-1", true],
  ["lua >= 5.1, < 5.5", "5.4", true],
])("%s takes %s: %s", (text, version, expected) => {
  const dependency = parseDependency(text);
  expect(dependency && satisfies(parseRockVersion(version), dependency)).toBe(expected);
});

test.each([
  ["lua-cjson ~> 2.1", "lua-cjson"],
  ["kikito/Inspect", "inspect"],
  ["30log", "30log"],
  ["say @ 1.0", "say"],
])("%s names the rock %s", (text, name) => {
  expect(parseDependency(text)?.name).toBe(name);
});

test.each(["", ">= 1", "a b c", "inspect >=", "inspect 1, ", "in spect > 1"])("%j is no dependency", (text) => {
  expect(parseDependency(text)).toBeUndefined();
});

test.each([
  ["scm-1", true],
  ["dev-3", true],
  ["1.2-1", false],
  ["1.0-rc1", false],
])("%s is a development version: %s", (text, expected) => {
  expect(parseRockVersion(text).isDevelopment).toBe(expected);
});
