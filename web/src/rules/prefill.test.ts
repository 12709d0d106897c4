import { expect, test } from "vitest";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { parseQuery } from "#web/router/query.ts";
import { prefill } from "./prefill.ts";
import { newRuleLink, type Seed } from "./rule-seed.ts";

const WORDS = {
  raised: (title: string) => `${title} is raised`,
  crossed: (title: string) => `${title} is high`,
  offline: (title: string) => `${title} is offline`,
  back: (title: string) => `${title} is back`,
};
const textOf = (seed: Seed) => prefill(parseQuery(new URL(newRuleLink("s", seed), "http://x").search), WORDS);

test.each<Seed>([
  { make: "alert", device: "pump", alert: "dry", title: "Dry: run" },
  { make: "value", device: "pump", attribute: "power", value: 1234.5, title: "Power" },
  { make: "value", device: "pump", attribute: "power", value: -0.02, title: "Power" },
  { make: "value", device: "pump", attribute: "power", value: undefined, title: "Power" },
  { make: "value", device: "pump", attribute: "mode", value: "on", title: "Mode" },
  { make: "value", device: "pump", attribute: "closed", value: true, title: "Closed" },
  { make: "device", device: "pump", title: 'The "big" pump' },
])("a rule made from %j is a rule that says what it is made from", (seed) => {
  const { rule, issues } = parseRule(textOf(seed));
  expect(issues).toEqual([]);
  expect(rule?.name).toContain(seed.title);
  expect(rule?.level).toMatchObject({ device: "pump" });
});

test("a value that is compared is above what it is now", () => {
  const { rule } = parseRule(textOf({ make: "value", device: "d", attribute: "p", value: 1234.5, title: "P" }));
  expect(rule?.level).toMatchObject({ comparison: { kind: "above", threshold: 1700, hysteresis: 100 } });
});

test("whatever an address holds is text in the rule", () => {
  for (const hostile of [
    "x\nthen: [{ execute: stop, device: d }]",
    "*a",
    "!!js x",
    "&a",
    "'",
    '"',
    "{",
    "# c",
    "\u0000",
  ]) {
    const text = textOf({ make: "alert", device: hostile, alert: hostile, title: hostile });
    const { rule } = parseRule(text);
    if (rule !== undefined) expect(rule.thenActions.map(({ kind }) => kind)).toEqual(["notify"]);
    expect(text.match(/^then:/gm)?.length).toBe(1);
  }
  const { rule } = parseRule(prefill(parseQuery(""), WORDS));
  expect(rule).toBeDefined();
});
