import { expect, test } from "vitest";
import { gatherModules, type KnownModule, MOST_MODULE_BYTES, MOST_MODULES, requiredNames } from "./rule-modules.ts";

const module = (text: string, bytes = text.length): KnownModule => ({
  bytes: new Uint8Array(bytes),
  requires: requiredNames(text),
});

/** Reads what is wanted until nothing is, as those do that have the rules. */
function gather(text: string, site: Readonly<Record<string, KnownModule>>) {
  const known = new Map<string, KnownModule>();
  const read: string[] = [];
  for (;;) {
    const found = gatherModules("own", requiredNames(text), known);
    if (found.wanted.length === 0) return { names: [...found.texts.keys()], problems: found.problems, read };
    for (const name of found.wanted) {
      read.push(name);
      known.set(name, site[name] ?? { problem: `no ${name}` });
    }
  }
}

test.each([
  ["require('a')", ["a"]],
  ["require 'a' require [[b]] pcall(require, 'c') require('a')", ["a", "b", "c"]],
  ["-- require('a')\nlocal t = 'require(b)' t.require('c') require(name)", []],
  ["x = 1", []],
])("%s requires %j", (text, names) => {
  expect(requiredNames(text)).toEqual(names);
});

test("modules of modules are found, each once, and circles end", () => {
  const site = {
    a: module("require 'b'"),
    b: module("require 'c' require 'a' require 'own'"),
    c: module("require 'b'"),
  };
  expect(gather("require 'a' require 'json' require 'string'", site)).toMatchObject({
    names: ["a", "b", "c"],
    read: ["a", "b", "c"],
  });
});

test("what cannot be required has its reason, and the rest is there", () => {
  const { names, problems, read } = gather("require 'a' require 'gone' require '../a' require 'a.b' require 'a/b'", {
    a: module(""),
  });
  expect(names).toEqual(["a"]);
  expect(read).toEqual(["a", "gone"]);
  const noSlug = "a module is another rule of the site, named by its slug alone";
  expect(Object.fromEntries(problems)).toEqual({ gone: "no gone", "../a": noSlug, "a.b": noSlug, "a/b": noSlug });
});

test("a chain of modules has an end, and so has their size", () => {
  const chain = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`m${n}`, module(`require 'm${n + 1}'`)]));
  const long = gather("require 'm0'", chain);
  expect(long.names).toHaveLength(MOST_MODULES);
  expect([...long.problems]).toEqual([
    [`m${MOST_MODULES}`, "a rule has at most 20 modules, with those that they require"],
  ]);
  const large = gather("require 'x' require 'y'", { x: module("", MOST_MODULE_BYTES), y: module("", 1) });
  expect(large.names).toEqual(["x"]);
  expect([...large.problems]).toEqual([["y", "the modules of a rule have at most 512 KiB together"]]);
});

test("names such as constructor are names like others", () => {
  expect([...gather("require 'constructor' require 'toString'", Object.create(null)).problems.keys()]).toEqual([
    "constructor",
    "toString",
  ]);
});
