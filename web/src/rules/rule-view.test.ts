import { expect, test } from "vitest";
import type { Rule } from "#client/resources.ts";
import { codeOf, nameOf, ruleSlug, scriptOf, textOf } from "./rule-code.ts";
import { changeable, shownRules, stateOf } from "./rule-view.ts";

const rule = (slug: string, text: string, more: Partial<Rule> = {}): Rule => ({
  id: slug,
  slug,
  disabled: false,
  state: "STARTED",
  script: { code: codeOf(text), runtime_version: "V3", language: "yaml" },
  revision: 1,
  last_error: null,
  restart_at: null,
  explanation: null,
  last_run: null,
  controller: null,
  created_at: "2026-11-18T10:00:00Z",
  updated_at: "2026-11-18T10:00:00Z",
  reported_by: null,
  not_confirmed_since: null,
  ...more,
});
const ERROR = { message: "no", file: null, line: null, traceback: null, at: "2026-11-18T10:00:00Z" };

test.each([
  [{}, "ACTIVE", "running"],
  [{ disabled: true, state: "STOPPED" }, "ACTIVE", "off"],
  [{ disabled: true, state: "STOPPED", last_error: ERROR }, "ACTIVE", "off"],
  [{ state: "STOPPED", last_error: ERROR }, "ACTIVE", "failed"],
  [{ state: "STOPPED", restart_at: ERROR.at }, "ACTIVE", "failed"],
  [{ state: "STOPPED" }, "SUSPENDED", "waiting"],
  [{ state: "STOPPED" }, "ACTIVE", "stopped"],
] as const)("a rule %j of an engine that is %s is %s", (more, engine, state) => {
  expect(stateOf(rule("a", "", more), engine)).toBe(state);
});

test.each(["", "name: Grüße\n", "x".repeat(300_000), "\u{1f600}\0"])("a text survives base64", (text) => {
  expect(textOf(codeOf(text))).toBe(text);
});

test("what is no base64 is empty", () => {
  expect(textOf("%%%")).toBe("");
});

test.each([
  ["name: Charge the car\nwhen: x", "Charge the car"],
  ["# a\nname: 'It''s on' # why\n", "It's on"],
  ['name: "a \\"b\\""\n', 'a "b"'],
  ["name: Load # not this\r\n", "Load"],
  ["when:\n  name: inner\n", "slug"],
  ["name: |\n  long\n", "slug"],
  ["name: [a]\n", "slug"],
  ["name:\n", "slug"],
  ["", "slug"],
])("%j is called %s", (text, name) => {
  expect(nameOf(rule("slug", text))).toBe(name);
});

test("a rule in Lua goes by its slug", () => {
  const script = { code: codeOf("name: x"), runtime_version: "V3", language: "lua" } as const;
  expect(nameOf({ slug: "night", script })).toBe("night");
});

test("an interval belongs to Lua alone, and an empty one is none", () => {
  expect(scriptOf("x", "yaml", "5m")).not.toHaveProperty("exec_interval");
  expect(scriptOf("x", "lua", " ")).not.toHaveProperty("exec_interval");
  expect(scriptOf("x", "lua", " 5m ")).toMatchObject({ exec_interval: "5m", language: "lua" });
});

test.each([
  ["Überschuss laden!", [], "uberschuss-laden"],
  ["Car", ["car", "car-2"], "car-3"],
  ["電気", [], "rule"],
])("%s among %j gets the slug %s", (name, known, slug) => {
  expect(ruleSlug(name, known)).toBe(slug);
});

test("failed rules come first, the others by name; a search looks at names, slugs and explanations", () => {
  const rules = [
    rule("z", "name: Alpha"),
    rule("b", "name: Beta", { explanation: { text: "charges with 3 kW", at: ERROR.at } }),
    rule("c", "", { state: "STOPPED", last_error: ERROR }),
  ];
  const shown = (search: string) => shownRules(rules, { search, engine: "ACTIVE" }).map(({ name }) => name);
  expect(shown("")).toEqual(["c", "Alpha", "Beta"]);
  expect(shown("CHARGES")).toEqual(["Beta"]);
  expect(shown("z")).toEqual(["Alpha"]);
  expect(shown("<b>")).toEqual([]);
});

test("a button changes only those chosen rules that are not so already", () => {
  const rules = [rule("a", ""), rule("b", "", { disabled: true }), rule("c", "")];
  expect(changeable(rules, new Set(["a", "b"]), true)).toEqual(["a"]);
  expect(changeable(rules, new Set(["a", "b"]), false)).toEqual(["b"]);
});
