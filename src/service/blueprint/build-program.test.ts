import { expect, test } from "vitest";
import { createEvaluator } from "#runtime/lua/evaluate-lua.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import type { RockRepository } from "#service/rock/rock-repository.ts";
import { buildProgram } from "./build-program.ts";
import { checkUnpacked } from "./check-package.ts";
import { packageOfFiles } from "./unpack-package.ts";

const evaluate = createEvaluator();
const bytes = (text: string) => new TextEncoder().encode(text);
const ROCKS: RockRepository = {
  folder: "rocks",
  files: ["inspect-3.1-1.src.rock"],
  read: () =>
    packPackage(
      new Map([
        [
          "i.rockspec",
          bytes(
            'package="inspect" version="3.1-1" build={modules={inspect="inspect.lua",["inspect.more"]="more.lua"}}',
          ),
        ],
        ["inspect.lua", bytes("return 1")],
        ["more.lua", bytes("return 2")],
      ]),
    ),
};

function build(
  options: string,
  scripts: Readonly<Record<string, string>>,
  repository: RockRepository | "unknown" = ROCKS,
) {
  const manifest = `blueprint_spec: device/3.0\ndisplay_name: Test\nruntime:\n  type: lua\n  options: ${options}\n`;
  const files = Object.entries({ "manifest.yml": manifest, ...scripts });
  const unpacked = packageOfFiles("folder", new Map(files.map(([path, text]) => [path, bytes(text)])));
  const { package: content, blueprint, issues } = checkUnpacked(unpacked);
  if (content === undefined || blueprint === undefined) throw new Error(JSON.stringify(issues));
  const checkSyntax = (path: string, source: Uint8Array) =>
    new TextDecoder().decode(source).includes("syntax error") ? { line: 7, message: `${path} is bad` } : undefined;
  return buildProgram(content, blueprint, {
    repository: repository === "unknown" ? undefined : repository,
    checkSyntax,
    evaluate,
  });
}

function modules(...given: Parameters<typeof build>): string {
  const { program, issues } = build(...given);
  if (program === undefined)
    return issues.map(({ code, path, range }) => `${code} ${path}:${range.start.line}`).join(" ");
  return [program.entry, ...[...program.modules.keys()].filter((key) => key !== program.entry).sort()].join(" ");
}

const OWN = { "main.lua": "require 'a' pcall(require, 'maybe.b')", "a.lua": "", "maybe/b.lua": "", "unused.lua": "" };

test.each([
  ["{ file: main.lua }", OWN, "main.lua a.lua maybe/b.lua"],
  ["{ dir: . }", OWN, "main.lua a.lua maybe/b.lua"],
  [
    "{ dir: src }",
    { "src/main.lua": "require './lib/x'", "src/lib/x.lua": "", "x.lua": "" },
    "src/main.lua src/lib/x.lua",
  ],
  [
    "{ file: src/start.lua }",
    { "src/start.lua": "require 'lib.x'", "src/lib/x/init.lua": "" },
    "src/start.lua src/lib/x/init.lua",
  ],
  ["{ file: main.lua, amalg_mode: isolate }", OWN, "main.lua a.lua maybe/b.lua unused.lua"],
  ["{ file: main.lua }", { "main.lua": "local json = require('json')" }, "main.lua"],
  ["{ file: main.lua, luarocks: [inspect ~> 3.1] }", { "main.lua": "require 'inspect'" }, "main.lua inspect.lua"],
  [
    "{ file: main.lua, luarocks: [inspect], amalg_mode: [isolate, nodebug] }",
    { "main.lua": "" },
    "main.lua inspect.lua inspect/more.lua",
  ],
  [
    "{ file: main.lua, luarocks: [inspect] }",
    { "main.lua": "require 'inspect'", "inspect.lua": "require 'b'", "b.lua": "" },
    "main.lua b.lua inspect.lua",
  ],
  [
    "{ file: main.lua, rockspec: x.rockspec }",
    {
      "main.lua": "require 'inspect' require 'far'",
      "src/far.lua": "",
      "x.rockspec": "package='x' version='1-1' dependencies={'inspect'} build={modules={far='src/far.lua'}}",
    },
    "main.lua far.lua inspect.lua",
  ],
  [
    "{ file: main.lua, rockspec: x.rockspec }",
    {
      "main.lua": "require 'far.away'",
      "src/far/away.lua": "",
      "x.rockspec": "package='x' version=('%s-%s'):format('dev', 1) build={type='builtin'}",
    },
    "main.lua far/away.lua",
  ],
  ["{ file: main.lua }", { "main.lua": "require 'a'", "a.lua": "syntax error" }, "lua_syntax a.lua:7"],
  ["{ file: main.lua }", { "main.lua": "", "a.lua": "syntax error" }, "main.lua"],
  ["{ file: main.lua, luarocks: [nowhere > 2] }", { "main.lua": "" }, "rock_missing /runtime/options/luarocks/0:5"],
  ["{ file: main.lua, luarocks: ['a b c'] }", { "main.lua": "" }, "rock_dependency /runtime/options/luarocks/0:5"],
  [
    "{ file: main.lua, rockspec: x.rockspec }",
    { "main.lua": "", "x.rockspec": "\nx = os.time()" },
    "rockspec_invalid x.rockspec:2",
  ],
  [
    "{ file: main.lua, rockspec: x.rockspec }",
    { "main.lua": "", "x.rockspec": "package='x' version='1-1' dependencies={'gone'}" },
    "rock_missing x.rockspec:1",
  ],
])("%s with %j is [%s]", (options, scripts, expected) => {
  expect(modules(options, scripts)).toBe(expected);
});

test("a require that is known only when it runs is warned of, unless every module is there", () => {
  const scripts = { "main.lua": "local name = 'a' require(name)", "a.lua": "" };
  expect(build("{ file: main.lua }", scripts).issues).toMatchObject([
    { code: "lua_dynamic_require", severity: "warning" },
  ]);
  expect(build("{ file: main.lua, amalg_mode: isolate }", scripts).issues).toEqual([]);
});

test.each([
  ["{ file: main.lua }", { "main.lua": "\nif never then require 'gone' end" }, "main.lua"],
  ["{ dir: src }", { "src/main.lua": "\nrequire 'inspect'" }, "src/main.lua"],
])("%s with %j is warned of a module that is not there, and can run", (options, scripts, path) => {
  const { program, issues } = build(options, scripts);
  expect(program?.entry).toBe(path);
  expect(issues).toMatchObject([
    { code: "lua_module_missing", severity: "warning", path, range: { start: { line: 2 } } },
  ]);
});

test("nodebug is reported", () => {
  const built = build("{ dir: src, amalg_mode: nodebug }", { "src/main.lua": "" });
  expect(built.program?.nodebug).toBe(true);
});

test("where nobody knows the operator's rocks, nothing is said about them", () => {
  const built = build("{ file: main.lua, luarocks: [nowhere] }", { "main.lua": "require 'nowhere'" }, "unknown");
  expect(built.issues).toEqual([]);
  expect(build("{ file: main.lua }", { "main.lua": "require 'nowhere'" }, "unknown").issues).toMatchObject([
    { code: "lua_module_missing" },
  ]);
});

test("modules lie in memory of their own, so that none takes along the archive that it came from", () => {
  const { program } = build("{ file: main.lua, luarocks: [inspect] }", { "main.lua": "require 'inspect'" });
  const spare = [...(program?.modules.values() ?? [])].map((source) =>
    typeof source === "string" ? undefined : source.buffer.byteLength - source.length,
  );
  expect(spare).toEqual([0, 0]);
});

test("a package without a script has no program and no complaint", () => {
  expect(build("{}", {})).toEqual({ program: undefined, issues: [] });
});
