import { expect, test } from "vitest";
import { readRockspec } from "./rockspec.ts";

const HEAD = 'package = "Demo"\nversion = "1.0-1"\n';

test("a rockspec is read as data: names given before, texts joined, comments, tables of both kinds", () => {
  const { rockspec } = readRockspec(`
    rockspec_format = "3.0" -- of the file
    local name, _VER = 'Demo', "1.2"
    package = name; version = _VER .. '-' .. 3
    source = { url = "git+https://example.invalid/x.git", dir = "demo-1.2" }
    description = { summary = [[two
      lines]], maintainer = ("me") }
    dependencies = { "lua >= 5.1", 'inspect ~> 3.1', }
    build = { type = "builtin", modules = { demo = "src/demo.lua", ["demo.sub"] = "src/demo/sub.lua" },
      install = { lua = { "extra.lua" } }, copy_directories = {} }
  `);
  expect(rockspec).toMatchObject({ package: "demo", version: "1.2-3", buildType: "builtin", sourceDir: "demo-1.2" });
  expect(rockspec?.dependencies.map(({ text }) => text)).toEqual(["lua >= 5.1", "inspect ~> 3.1"]);
  expect([...(rockspec?.modules ?? [])]).toEqual([
    ["demo", "src/demo.lua"],
    ["demo.sub", "src/demo/sub.lua"],
    ["extra", "extra.lua"],
  ]);
});

test("modules that are made of C are told apart", () => {
  const { rockspec } = readRockspec(
    `${HEAD}build = { modules = { a = "a.lua", b = "b.c", c = { "c.c" }, d = { sources = { "d.c" } } } }`,
  );
  expect([...(rockspec?.modules?.keys() ?? [])]).toEqual(["a"]);
  expect(rockspec?.nativeModules).toEqual(["b", "c", "d"]);
});

test.each([
  ['os.execute("rm -rf /")', 3, "expected = after os; the file may only give names to values"],
  ["x = os.getenv('HOME')", 3, "os is not a plain value; only texts, numbers and tables are read"],
  ["while true do end", 3, "expected = after while; the file may only give names to values"],
  ["x = {\n  y = z,\n}", 4, "z is not a plain value; only texts, numbers and tables are read"],
  ['x = "open', 3, "a string is not closed"],
  ["x = {1, 2", 3, "expected } or a comma, found the end"],
  [`x = ${"{".repeat(40)}`, 3, "tables are nested too deeply"],
  ["dependencies = { 'a b c' }", 1, '"a b c" is no dependency'],
])("%j is refused at line %i: %s", (text, line, message) => {
  expect(readRockspec(HEAD + text).problem).toEqual({ line, message });
});

test.each([
  ["version = '1-1'", "it does not name its package"],
  ["package = 'x'", "it does not say its version"],
])("%s is refused: %s", (text, message) => {
  expect(readRockspec(text).problem?.message).toBe(message);
});
