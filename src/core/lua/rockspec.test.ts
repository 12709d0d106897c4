import { expect, test } from "vitest";
import { createEvaluator } from "#runtime/lua/evaluate-lua.ts";
import { readRockspec as read } from "./rockspec.ts";

const evaluate = createEvaluator();
const readRockspec = (text: string) => read(evaluate, text);

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

test("modules that are made of C are recognised", () => {
  const { rockspec } = readRockspec(
    `${HEAD}build = { modules = { a = "a.lua", b = "b.c", c = { "c.c" }, d = { sources = { "d.c" } } } }`,
  );
  expect([...(rockspec?.modules?.keys() ?? [])]).toEqual(["a"]);
  expect(rockspec?.nativeModules).toEqual(["b", "c", "d"]);
});

test("a rockspec may compute what it says", () => {
  const { rockspec } = readRockspec(`
    local rock_version, release = "scm", "1"
    package = ("Demo-%s"):format("x"):lower()
    version = string.format("%s-%s", rock_version, release)
    local function with(list, more) for _, one in ipairs(more) do list[#list + 1] = one end return list end
    source = {
      url = "git+https://example.invalid/x.git",
      branch = rock_version == "scm" and "main" or nil,
      tag = rock_version ~= "scm" and "v" .. rock_version or nil,
    }
    dependencies = with({ "lua ~> 5.3" }, { "inspect >= 3" })
    build = { type = "builtin" }
  `);
  expect(rockspec).toMatchObject({ package: "demo-x", version: "scm-1", modules: undefined });
  expect(rockspec?.dependencies.map(({ name }) => name)).toEqual(["lua", "inspect"]);
});

test.each([
  ['os.execute("rm -rf /")', 3, "attempt to index a nil value (global 'os')"],
  ["x = io.open('/etc/passwd')", 3, "attempt to index a nil value (global 'io')"],
  ["x = require('os')", 3, "attempt to call a nil value (global 'require')"],
  ["x = load('return 1')", 3, "attempt to call a nil value (global 'load')"],
  ["x = string.dump(function() end)", 3, "attempt to call a nil value (field 'dump')"],
  ["while true do end", 1, "it computes for too long"],
  ["x = pcall(function() while true do end end)", 1, "it computes for too long"],
  ["x = string.rep('x', 1e9)", 1, "not enough memory: a script may hold 16 MiB"],
  ["error(('x'):rep(1e5))", 3, "x".repeat(300)],
  ['x = "open', 3, "unfinished string near <eof>"],
  ["x = {1, 2", 3, "'}' expected near <eof>"],
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
