import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { tarChecksum } from "#core/bytes/tar-header.ts";
import { parseDependency } from "#core/lua/rock-version.ts";
import { createEvaluator } from "#runtime/lua/evaluate-lua.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { chooseRocks } from "./choose-rocks.ts";
import { readRock } from "./read-rock.ts";
import type { RockRepository } from "./rock-repository.ts";

const evaluate = createEvaluator();
const bytes = (text: string) => new TextEncoder().encode(text);
const zip = (files: Readonly<Record<string, string | Uint8Array>>) =>
  packPackage(
    new Map(Object.entries(files).map(([path, text]) => [path, typeof text === "string" ? bytes(text) : text])),
  );
const spec = (name: string, version: string, rest = "") =>
  `package = "${name}"\nversion = "${version}"\nbuild = { type = "builtin", modules = { ["${name}"] = "${name}.lua" } }\n${rest}`;

/** A file's name to what its rock depends on; the module returns the file's name. */
function repository(rocks: Readonly<Record<string, readonly string[] | Uint8Array>>): RockRepository {
  const files = new Map(
    Object.entries(rocks).map(([file, content]) => {
      if (content instanceof Uint8Array) return [file, content];
      const [, name = "", version = ""] = /^(.+)-([^-]+-\d+)\./.exec(file) ?? [];
      const list = content.map((one) => `"${one}"`).join(", ");
      const text = spec(name, version, `dependencies = { ${list} }`);
      return [file, zip({ [`${name}.rockspec`]: text, [`${name}.lua`]: file, [`lua/${name}.lua`]: file })];
    }),
  );
  return { folder: "rocks", files: [...files.keys()], read: (file) => files.get(file) };
}

function choose(rocks: Parameters<typeof repository>[0], wanted: readonly string[], allowDevelopment = false) {
  const dependencies = wanted.flatMap((text, place) => {
    const dependency = parseDependency(text);
    return dependency === undefined ? [] : [{ dependency, place }];
  });
  const { rocks: chosen, problems } = chooseRocks(
    { repository: repository(rocks), evaluate },
    dependencies,
    allowDevelopment,
  );
  return problems.length > 0
    ? problems.map(({ code, message, place }) => `${place} ${code}: ${message}`)
    : chosen.map(({ rockspec }) => `${rockspec.package} ${rockspec.version}`);
}

test.each([
  [["a"], ["a 1.10-1"]],
  [["a < 1.10"], ["a 1.9-2"]],
  [["a == 1.9-1"], ["a 1.9-1"]],
  [
    ["b", "a"],
    ["b 1.0-1", "a 1.9-2"],
  ],
  [["lua >= 5.1, < 5.4"], []],
])("of what is there, %j gets %j", (wanted, expected) => {
  const there = {
    "a-1.9-1.src.rock": [],
    "a-1.9-2.all.rock": [],
    "a-1.10-1.src.rock": [],
    "b-1.0-1.src.rock": ["lua >= 5.1", "a ~> 1.9"],
    "README.md": [],
  };
  expect(choose(there, wanted)).toEqual(expected);
});

test("rocks that need each other are taken once", () => {
  const there = { "a-1-1.src.rock": ["b"], "b-1-1.src.rock": ["a >= 1"] };
  expect(choose(there, ["a"])).toEqual(["a 1-1", "b 1-1"]);
});

test.each([
  [
    ["inspect >= 3.1"],
    [
      "0 rock_missing: The rock inspect (inspect >= 3.1) is not in rocks. Put its .src.rock or .all.rock there (luarocks download inspect).",
    ],
  ],
  [["a > 2"], ["0 rock_missing: The rock a (a > 2) is not in rocks. There is 1.0-1."]],
  [
    ["a", "needy"],
    [
      "1 rock_missing: The rock gone (gone ~> 2, needed by the rock needy) is not in rocks. Put its .src.rock or .all.rock there (luarocks download gone).",
    ],
  ],
  [
    ["a == 1", "old"],
    ["1 rock_missing: The rock a (a == 1 and a < 1, needed by the rock old) is not in rocks. There is 1.0-1."],
  ],
  [
    ["dev"],
    [
      "0 rock_development: Of the rock dev (dev) there is only the development version scm-1 in rocks. Set allow_dev_luarocks to use it.",
    ],
  ],
  [["lua < 5.3"], ["0 rock_unusable: Lua is 5.3 (run on 5.4) here, but lua < 5.3 is asked for."]],
  [
    ["broken"],
    [
      "0 rock_unusable: The rock broken-1-1.src.rock cannot be used: it cannot be read. The zip cannot be read: its end record is missing, so it is cut short or not a zip.",
    ],
  ],
])("%j is refused: %j", (wanted, expected) => {
  const there = {
    "a-1.0-1.src.rock": [],
    "needy-1-1.src.rock": ["gone ~> 2"],
    "old-1-1.src.rock": ["a < 1"],
    "dev-scm-1.src.rock": [],
    "broken-1-1.src.rock": bytes("PK no zip"),
  };
  expect(choose(there, wanted)).toEqual(expected);
});

test("a development version is taken where it is allowed", () => {
  expect(choose({ "dev-scm-1.src.rock": [], "dev-1.0-1.src.rock": [] }, ["dev"], true)).toEqual(["dev scm-1"]);
});

function modulesOf(file: string, content: Uint8Array): readonly string[] | string {
  const read = readRock(evaluate, file, content);
  if ("problem" in read) return read.problem;
  return [...read.rock.modules].map(([path, source]) => `${path}=${new TextDecoder().decode(source)}`);
}

function tarGz(files: Readonly<Record<string, string>>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const header = Buffer.alloc(512);
    header.write(path);
    header.write(text.length.toString(8).padStart(11, "0"), 124);
    header.write("0", 156);
    header.write(tarChecksum(header).toString(8).padStart(6, "0"), 148);
    return [header, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

test("sources come as files, as a tar or as a zip, in whatever folder", () => {
  const rockspec = `package = "x"\nversion = "1-1"\nbuild = { modules = { x = "src/init.lua", ["x.y"] = "src/y.lua" } }`;
  const files = { "src/init.lua": "one", "src/y.lua": "two", "../evil.lua": "no" };
  const inFolder = { "x-1.0/src/init.lua": "one", "x-1.0/src/y.lua": "two" };
  const expected = ["x/init.lua=one", "x/y.lua=two"];
  expect(modulesOf("x.src.rock", zip({ "x.rockspec": rockspec, "v1.tar.gz": tarGz(files) }))).toEqual(expected);
  expect(modulesOf("x.src.rock", zip({ "x.rockspec": rockspec, "v1.tgz": tarGz(inFolder) }))).toEqual(expected);
  expect(modulesOf("x.src.rock", zip({ "x.rockspec": rockspec, "v1.zip": zip(inFolder) }))).toEqual(expected);
  expect(modulesOf("x.src.rock", zip({ "x.rockspec": rockspec, ...inFolder }))).toEqual(expected);
});

test("without a list of modules, the Lua files under src or lua are the modules", () => {
  const rockspec = 'package = "x"\nversion = "1-1"';
  const files = {
    "x.rockspec": rockspec,
    "x/lua/x/init.lua": "one",
    "x/lua/x/deep/y.lua": "two",
    "x/spec/t.lua": "no",
  };
  expect(modulesOf("x.src.rock", zip(files))).toEqual(["x/deep/y.lua=two", "x/init.lua=one"]);
});

test.each([
  [
    "x.all.rock",
    { "x.rockspec": spec("x", "1-1"), "lua/x.lua": "", "lib/x.so": "" },
    "it holds compiled code (lib/x.so), and only Lua can be run",
  ],
  [
    "x.src.rock",
    { "x.rockspec": 'package = "x" version = "1-1" build = { modules = { x = { "x.c" } } }' },
    "its module x is not written in Lua, and only Lua can be run",
  ],
  [
    "x.src.rock",
    { "x.rockspec": 'package = "x" version = "1-1" build = { type = "make" }' },
    "it is built by make; put its .all.rock there instead",
  ],
  ["x.src.rock", { "x.rockspec": spec("x", "1-1") }, "its module x has no file x.lua"],
  ["x.src.rock", { "x.lua": "" }, "it holds no rockspec"],
  [
    "x.src.rock",
    { "x.rockspec": "package = os.getenv('HOME')" },
    "x.rockspec, line 1: attempt to index a nil value (global 'os')",
  ],
  [
    "x.src.rock",
    { "x.rockspec": spec("x", "1-1"), "v.tar.gz": "nonsense" },
    "the archive of its sources is damaged or too large",
  ],
])("%s of %j cannot be used: %s", (file, files, problem) => {
  expect(modulesOf(file, zip(files))).toBe(problem);
});

test.each([
  ["at the root of a rock", { "x.lua": "one", "x/y.lua": "two", "spec/x_spec.lua": "no", "install.lua": "no" }],
  ["at the root of its archive", { "x-1.0/x.lua": "one", "x-1.0/x/y.lua": "two", "x-1.0/tests/t.lua": "no" }],
  ["under src", { "src/x.lua": "one", "src/x/y.lua": "two", "spec/t.lua": "no", "x.lua": "no" }],
  ["under src in an archive", { "x/src/x.lua": "one", "x/src/x/y.lua": "two", "x/main.lua": "no" }],
])("modules %s are found, without a list of them", (_, files) => {
  const rockspec = 'package = "x"\nversion = "1-1"\nbuild = { type = "builtin" }';
  for (const file of ["x-1-1.src.rock", "x-1-1.all.rock"]) {
    expect(modulesOf(file, zip({ "x.rockspec": rockspec, ...files }))).toEqual(["x.lua=one", "x/y.lua=two"]);
  }
});

test("a rockspec alone serves where it only names other rocks", () => {
  expect(modulesOf("x-1-1.rockspec", bytes('package = "x" version = "1-1" build = { type = "none" }'))).toEqual([]);
  expect(modulesOf("x-1-1.rockspec", bytes(spec("x", "1-1")))).toBe(
    "a rockspec alone holds no modules; put its .src.rock or .all.rock beside it",
  );
});
