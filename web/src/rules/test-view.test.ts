import { expect, test } from "vitest";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { readRuleTest } from "#manifest/rule-scenario/read-rule-test.ts";
import { firstTest, passedOf, testSteps } from "./test-view.ts";
import { TEST_GERMAN, testEntry, testText } from "./test-words.ts";

const entry = (at_ms: number, text: string, step = false) => ({ at_ms, text, step });

test("what happened is read step by step; what comes before any step is the start", () => {
  const timeline = [
    entry(0, "run by /when: then (it became true)"),
    entry(0, "line 4: the sun comes", true),
    entry(5, "claims charger power 3000"),
    entry(9, "line 7", true),
  ];
  expect(testSteps({ timeline })).toEqual([
    { at: 0, text: "", line: undefined, entries: [{ at: 0, text: "run by /when: then (it became true)" }] },
    { at: 0, text: "the sun comes", line: 4, entries: [{ at: 5, text: "claims charger power 3000" }] },
    { at: 9, text: "", line: 7, entries: [] },
  ]);
  expect(passedOf({ scenarios: [{ passed: true }, { passed: false }] as never })).toBe(1);
});

const NAMES = { step: "five minutes: pass", note: "What happens" };

test.each([
  "when: { device: meter, attribute: power, above: { variable: limit } }\nthen: { claim: power, device: charger, target: 5 }",
  "when: { calendar: holidays, above: { tariff: import } }\nif: { device: 'on', control: yes, held_by: person }\nthen: { execute: start, device: pump }",
  "when: { device: 'a: b', attribute: 'x {', stale_for: 5m }\nthen: { notify: x }",
  "when: { every: 1h }\nthen: { notify: x }",
])("the first test of %s has all that the rule names, and can be played", (text) => {
  const { rule } = parseRule(text);
  expect(rule).toBeDefined();
  const source = firstTest(rule, NAMES);
  const script = { name: "rule.yml", language: "yaml", text, intervalMs: undefined } as const;
  const {
    task,
    issues,
    rule: read,
  } = readRuleTest({ source, file: undefined, cronProblem: undefined, scriptOf: () => script });
  expect([source, issues, read?.issues, task !== undefined]).toEqual([source, [], [], true]);
});

test("without a rule that can be read there is something to change", () => {
  expect(firstTest(undefined, NAMES)).toContain("meter: {telemetry: {power: 0}}");
});

test.each([
  ["run by /when: then (it became true)", "Lauf durch /when: then (<it became true>)"],
  ["claims boiler power no longer", "beansprucht boiler power nicht mehr"],
  ["claims boiler power 2000", "beansprucht boiler power 2000"],
  ["sends info: Es ist viel", "sendet info: Es ist viel"],
  ["commands of pump", "Befehle von pump"],
  ["at least 5", "mindestens 5"],
  ["someone's own text", "someone's own text"],
])("%s is said in German: %s", (english, german) => {
  expect(testEntry(english, "de", (why) => `<${why}>`)).toBe(german);
  expect(testEntry(english, "en", (why) => why)).toBe(english);
});

test("each German text has the places of the English", () => {
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const [english, german] of Object.entries(TEST_GERMAN))
    expect([english, places(german)]).toEqual([english, places(english)]);
  expect(testText("none", "de")).toBe("nichts");
});
