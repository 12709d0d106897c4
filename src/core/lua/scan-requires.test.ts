import { expect, test } from "vitest";
import { scanRequires } from "./scan-requires.ts";

/** needed, then wished with ?, then lines of unknown ones with @. */
function scan(text: string): string {
  const { needed, wished, unknownAt } = scanRequires(text);
  return [
    ...needed.map(({ name, line }) => `${name}:${line}`),
    ...wished.map(({ name, line }) => `${name}?:${line}`),
    ...unknownAt.map((line) => `@${line}`),
  ].join(" ");
}

test.each([
  ['local x = require "x"', "x:1"],
  ["require('./lib/x')", "./lib/x:1"],
  ['#!/usr/bin/lua\nlocal a, b = require("a.b"), require [[c]]', "a.b:2 c:2"],
  ["-- require 'no'\n--[==[ require 'no'\n]] ]==] require 'yes'", "yes:3"],
  ["local s = \"require 'no'\" .. [[\nrequire 'no']] require'yes'", "yes:2"],
  ["local ok, m = pcall(require, 'maybe')", "maybe?:1"],
  ["require(name)", "@1"],
  ["require('a' .. b)", "@1"],
  ["pcall(require, name)", "@1"],
  ["local load = require\nload 'x'", "@1"],
  ["foo.require 'x' foo:require 'y'", ""],
  ["local require = other", ""],
  ["local function require() end", ""],
  ["function require() end", ""],
  ["x = 'a\\z  \n  b' require 'x'", "x:2"],
  ["x = '\\u{48}\\x41\\065' require 'x'", "x:1"],
  ["require 'before' x = 'never closed", "before:1"],
  ["x = 5 // 2 >> 1 ~= 3 require 'x'", "x:1"],
  ["require 'before' --[[ never closed", "before:1"],
])("%j requires [%s]", (text, expected) => {
  expect(scan(text)).toBe(expected);
});

test("a text of half a million tokens is read in one pass", () => {
  expect(scanRequires("require 'x' local y = 1 + 2\n".repeat(60_000)).needed).toHaveLength(60_000);
});
