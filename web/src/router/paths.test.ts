import { expect, test } from "vitest";
import { href, matchPath, renderQuery } from "./paths.ts";

test.each([
  ["/", "home", {}],
  ["/sites/a%2Fb", "site", { site: "a/b" }],
  ["/sites/a/", "site", { site: "a" }],
  ["/devices/d1/commands/set_mode", "deviceCommand", { device: "d1", command: "set_mode" }],
  ["/blueprints/new", "newBlueprint", {}],
  ["/blueprints/b1", "blueprint", { blueprint: "b1" }],
])("%s is the screen %s", (path, name, params) => {
  expect(matchPath(path)).toEqual({ name, params });
});

test.each(["/nowhere", "/sites/a/b/c", "/devices"])("%s is no screen", (path) => {
  expect(matchPath(path)).toBeUndefined();
});

test("a broken escape in an address does not throw", () => {
  expect(matchPath("/sites/%E0%A4%A")).toEqual({ name: "site", params: { site: "%E0%A4%A" } });
});

test("an address is written with its ids escaped", () => {
  expect(href("deviceCommand", { device: "a/b", command: "ä" })).toBe("/devices/a%2Fb/commands/%C3%A4");
});

test("a query leaves out what is not chosen", () => {
  expect(renderQuery({ a: "1", b: undefined, c: ["x", "y"], d: [], e: "", f: false, g: true })).toBe(
    "?a=1&c=x%2Cy&g=true",
  );
});
