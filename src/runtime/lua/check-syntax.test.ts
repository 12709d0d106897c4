import { expect, test } from "vitest";
import { createSyntaxChecks } from "./check-syntax.ts";

const checks = createSyntaxChecks();

test.each([
  ["return 1", undefined],
  ["\ufeff#!/usr/bin/lua\nlocal x <const> = 1 // 2 & 3", undefined],
  ["local s = '\xff\xfe'", undefined],
  ["", undefined],
  ["local a =\nb c d", { line: 2, message: "It is not valid Lua: syntax error near 'd'." }],
  ["if x then", { line: 1, message: "It is not valid Lua: 'end' expected near <eof>." }],
  ["\n\nx = 'open", { line: 3, message: "It is not valid Lua: unfinished string near <eof>." }],
  ["\x1bLua\x54", { line: 1, message: "It is not valid Lua: attempt to load a binary chunk (mode is 't')." }],
])("%j: %j", (text, expected) => {
  expect(checks()("src/main.lua", Buffer.from(text))).toEqual(expected);
});

test("a text that is too much for the interpreter is a problem, not a fault, and the next one is read", () => {
  const check = checks();
  const deep = check("deep.lua", Buffer.from(`return ${"(".repeat(100_000)}`));
  expect(deep?.message).toMatch(/^It is not valid Lua: (C stack overflow|chunk has too many)/);
  expect(check("next.lua", Buffer.from("return 1"))).toBeUndefined();
});
