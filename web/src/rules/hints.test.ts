import { expect, test } from "vitest";
import { renderRuleSchema } from "#manifest/rule/parse-rule.ts";
import { luaHints } from "./lua-hints.ts";
import { explainRule, ruleHints } from "./rule-hints.ts";
import type { RuleNames } from "./rule-names.ts";

const schema = renderRuleSchema();
const device = (slug: string, more: Partial<RuleNames["devices"][number]>): RuleNames["devices"][number] => ({
  id: `${slug}-id`,
  slug,
  name: slug,
  category: null,
  profiles: [],
  attributes: [],
  commands: [],
  controls: [],
  alerts: [],
  ...more,
});
const NAMES: RuleNames = {
  devices: [
    device("meter", {
      attributes: [{ name: "power", display_name: "Power", type: "float", unit: "W" }],
      alerts: [{ id: "dry", display_name: "Dry" }],
    }),
    device("charger", {
      attributes: [{ name: "soc", display_name: "Charge", type: "float", unit: "%" }],
      controls: [{ name: "current", display_name: "Current", unit: "A", min: 0, max: 16 }],
      commands: [{ name: "start", display_name: "Start" }],
    }),
  ],
  variables: [{ name: "away", value: true }],
  calendars: ["holidays"],
  prices: ["import"],
};

/** The cursor is at `|`. */
const labels = (marked: string): readonly string[] | undefined => {
  const offset = marked.indexOf("|");
  return ruleHints(marked.replace("|", ""), offset, { schema, names: NAMES })?.hints.map(({ label }) => label);
};

test.each([
  ["n|", ["when", "then"]],
  ["when:\n  - { device: |", ["meter", "charger"]],
  ["when:\n  - { device: charger, attribute: |", ["soc"]],
  ["when:\n  - device: meter\n    attribute: |", ["power"]],
  ["when: { variable: |", ["away"]],
  ["then:\n  - claim: |\n    device: charger\n", ["current"]],
  ["then:\n  - { execute: s|, device: charger }", ["start"]],
  ["mode: |", ["single", "restart", "queued", "parallel"]],
  ["when:\n  - { device: meter, is: |", ["online", "offline"]],
  ["when: { device: meter, alert: |", ["dry", "any"]],
  ["then:\n  - { notify: x, severity: |", ["info", "warning", "error"]],
])("at %j one can write %j", (marked, wanted) => {
  expect(labels(marked)).toEqual(expect.arrayContaining([...wanted]));
});

test("keys fit those that the same item has already, and other items do not count", () => {
  const keys = labels("then:\n  - notify: x\n  - claim: current\n    |\n  - wait: 5m\n") ?? [];
  expect(keys).toEqual(expect.arrayContaining(["device", "target", "lease"]));
  expect(keys).not.toContain("claim");
  expect(keys).not.toContain("title");
  expect(labels("then:\n  - notify: x\n  - |\n")).toEqual(expect.arrayContaining(["notify", "claim", "wait"]));
  expect(labels("when:\n  - { variable: away, |")).toEqual(expect.arrayContaining(["above", "equals"]));
});

test("within a comment and in broken text there are no hints, and nothing is thrown", () => {
  expect(labels("# de|")).toBeUndefined();
  for (const text of ["{{{|", "- - - |", "a: [|", "'|", "\t|", ": |", "__proto__: { constructor: |"])
    expect(() => labels(text)).not.toThrow();
});

test("a key is explained by the language", () => {
  const text = "min_on: 5m\n";
  expect(explainRule(text, 3, { schema, names: NAMES })).toMatchObject({
    from: 0,
    to: 6,
    title: "min_on",
    text: "Once on, it stays on for so long.",
  });
  expect(explainRule(text, 9, { schema, names: NAMES })).toBeUndefined();
});

test.each([
  ["local m = enapter.device('|", ["meter", "charger"]],
  ["m.telemetry.now('p|", ["power"]],
  ["b.claim('|", ["current"]],
  ["variables.get('|", ["away"]],
  ["sch|", ["scheduler.add"]],
  ["m.telemetry.|", ["now", "avg"]],
])("in Lua, at %j one can write %j", (marked, wanted) => {
  const found = luaHints(marked.replace("|", ""), marked.indexOf("|"), NAMES)?.hints.map(({ label }) => label);
  expect(found).toEqual(expect.arrayContaining([...wanted]));
  expect(luaHints("-- ena", 6, NAMES)).toBeUndefined();
});
