import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import type { RuleSite, RuleSiteDevice } from "#core/rule/rule-site.ts";
import { parseRule, renderRuleSchema } from "./parse-rule.ts";

const device = (given: Partial<RuleSiteDevice>): RuleSiteDevice => ({
  attributes: new Map(),
  controls: new Map(),
  commands: new Map(),
  alerts: undefined,
  ...given,
});

const level = {
  type: "integer",
  enum: undefined,
  required: true,
  min: 1,
  max: 3,
  format: undefined,
  default: undefined,
  sensitive: false,
  displayName: "Level",
  description: "",
  jsonSchema: undefined,
} as const;

const SITE: RuleSite = {
  devices: new Map([
    [
      "grid-meter",
      device({
        attributes: new Map([
          ["power", { type: "float", unit: "W" }],
          ["mode", { type: "string", unit: undefined }],
        ]),
      }),
    ],
    [
      "charger",
      device({
        controls: new Map([["power", { unit: "W", min: 0, max: 11_000 }]]),
        commands: new Map([["start", { arguments: new Map([["level", level as never]]) }]]),
        alerts: new Set(["overheated"]),
      }),
    ],
  ]),
  variables: new Set(["reserve"]),
  hasLocation: false,
};

/** `line:column code message`, in short. */
const problems = (text: string, site?: RuleSite) =>
  parseRule(text, { site }).issues.map(
    ({ range: { start }, code, message }) => `${start.line}:${start.column} ${code} ${message}`,
  );

test("prices are those that the tariff has, and hours are whole quarters of a time that has an end", () => {
  const text = `when:
  - { tariff: import, below: 0.2 }
  - { tariff: exprot, cheapest: 4h }
  - { tariff: export, cheapest: 10m }
  - { tariff: export, dearest: 20m, from: "06:00", before: "06:00" }
  - { cheapest: 1h }
  - { tariff: export, above: { tariff: import } }
  - { tariff: export }
if: { tariff: export, dearest: 24h, unbroken: true, from: sunset, before: "23:00" }
then: { notify: x }
`;
  const only = { ...SITE, prices: new Set(["export"] as const), hasLocation: true };
  const noImport = "The tariff of the site has no price for import, only for export.";
  expect(
    problems(text, only).map((one) => one.replace(/(unknown_value|bad_duration|missing_key|conflicting_keys) /, "")),
  ).toEqual([
    `2:15 ${noImport}`,
    '3:15 tariff cannot be "exprot". Did you mean export?',
    '4:33 cheapest must be a duration from 15m to 1d, such as 30s or 1h30m, and is the text "10m".',
    "5:32 Prices are those of quarters of an hour, so dearest must be a multiple of 15m.",
    "6:5 A condition of cheap hours needs tariff. The price of the site's tariff for a kilowatt-hour: import or export.",
    `7:40 ${noImport}`,
    "8:5 What it is compared with is missing. It needs one of above, below, between, equals, differs.",
  ]);
  expect(problems(text.replace(/.*(exprot|10m|20m|1h }|export }).*\n/g, ""))).toEqual([]);
  expect(problems("when: { tariff: import, below: 1 }\nthen: { notify: x }", { ...SITE, prices: new Set() })).toEqual([
    "1:17 unknown_value Nobody knows what energy costs: the site has no tariff. Set one.",
  ]);
});

test("all mistakes come at once, each with line, column, pointer and the nearest name", () => {
  const text = `nmae: Peak
when:
  - device: meter
    atribute: power
    above: 10
  - device: meter
    attribute: power
    above: ten
    below: 3
  - at: 25:00
  - cron: "* * *"
  - every: 5
for: 10
mode: sometimes
if:
  - variable: away
then:
  - claim: power
    device: charger
  - notify: ""
  - wait: 30
  - execute: start
`;
  expect(problems(text)).toEqual([
    '1:1 unknown_key A rule has no key "nmae". Did you mean name?',
    "4:5 missing_key What this trigger is about is missing. Did you mean attribute?",
    '8:12 wrong_type above must be a number, and is the text "ten".',
    "9:5 conflicting_keys above and below do not go together. For both, write two conditions.",
    '10:9 wrong_type at must be a time of day such as 07:30, sunset or sunrise-30m, and is the text "25:00".',
    "11:11 unknown_value This is no cron expression, such as 30 7 * * 1-5: five fields are needed: minute, hour, day of the month, month, day of the week.",
    "12:12 bad_duration every must be a duration from 1s to 7d, such as 30s or 1h30m, and is the number 5. Did you mean 5s?",
    "13:6 bad_duration for must be a duration from 0s to 7d, such as 30s or 1h30m, and is the number 10. Did you mean 10s?",
    '14:7 unknown_value mode cannot be "sometimes". Known are single, restart, queued, parallel.',
    "16:5 missing_key What it is compared with is missing. It needs one of above, below, between, equals, differs.",
    "18:5 missing_key A claim needs a target, a min or a max.",
    "18:5 missing_key This claim needs hold, how long it is held: a moment has no duration.",
    '20:13 wrong_type notify must be a text of 1 to 1000 characters, and is the text "".',
    "21:11 bad_duration wait must be a duration from 1s to 7d, such as 30s or 1h30m, and is the number 30. Did you mean 30s?",
    "22:5 missing_key A command needs device. The device, by its id or slug.",
  ]);
  const [, second] = parseRule(text).issues;
  expect(second?.path).toBe("/when/0/atribute");
  expect(parseRule(text).rule).toBeUndefined();
});

test("against a site: devices, attributes, controls, commands, arguments, alerts, types, units and the sun", () => {
  const text = `
when:
  - { device: grid-metre, attribute: power, above: 10 }
  - { device: grid-meter, attribute: powr, above: 10 }
  - { device: grid-meter, attribute: mode, above: 10 }
  - { device: grid-meter, attribute: mode, equals: 3 }
  - { device: grid-meter, attribute: power, above: 10, unit: A }
  - { device: grid-meter, attribute: power, above: 10, unit: kW }
  - { device: charger, alert: overheat }
  - { device: charger, alert: any }
  - { device: charger, command: stop, ended: any }
  - { at: sunset }
if: { variable: resreve, above: 10 }
then:
  - { claim: curent, device: charger, target: 10, hold: 1m }
  - { claim: power, device: charger, target: 12000, hold: 1m }
  - { execute: begin, device: charger }
  - { execute: start, device: charger, arguments: { level: 5, extra: 1 } }
  - { set: other, to: 1 }
  - { set: not a name, to: { variable: other } }
`;
  expect(problems(text, SITE)).toEqual([
    '3:15 unknown_value There is no device "grid-metre". Did you mean grid-meter?',
    '4:38 unknown_value There is no attribute of grid-meter "powr". Did you mean power?',
    "5:38 wrong_type mode must be a number here, and is of type string.",
    "6:52 wrong_type mode is of type string and never 3.",
    '7:62 wrong_type "A" does not fit power, which is in W.',
    '9:31 unknown_value There is no alert of charger "overheat". Did you mean overheated?',
    '11:33 unknown_value There is no command of charger "stop". Known are start.',
    "12:11 unknown_value Nobody knows where the sun rises: the site has no location. Set its latitude and longitude.",
    '13:17 unknown_value There is no variable "resreve". Did you mean reserve?',
    '15:14 unknown_value There is no control of charger "curent". Known are power.',
    "16:46 wrong_type power of charger goes from 0 to 11000.",
    '17:16 unknown_value There is no command of charger "begin". Known are start.',
    "18:53 wrong_type start: level must be at most 3, not 5.",
    '18:63 unknown_key start: there is no "extra"; declared: level.',
    "20:12 bad_id The name of a variable has 1 to 64 letters, digits and _, and does not begin with a digit.",
  ]);
  expect(problems(text).map((line) => line.split(" ")[0])).toEqual(["20:12"]);
});

const SET = (amount: string) => `when: { every: 1h }\nthen: { set: x, to: ${amount} }`;

test.each<readonly [string, string, string]>([
  ["for", "when: { every: 1h }\nfor: 5m\nthen: { notify: x }", "2:1 conflicting_keys"],
  ["min_on", "when: { every: 1h }\nmin_on: 5m\nthen: { notify: x }", "2:1 conflicting_keys"],
  ["missed", "when: { device: a, is: offline }\nmissed: skip\nthen: { notify: x }", "2:1 conflicting_keys"],
  ["late", "when: { every: 1h }\nlate: 5m\nthen: { notify: x }", "2:1 conflicting_keys"],
  ["a claim at a moment", "when: { every: 1h }\nthen: { claim: p, device: a, max: 0 }", "2:1 missing_key"],
  [
    "a claim in else beside a moment",
    "when: [{ device: a, is: offline }, { every: 1h }]\nthen: { notify: x }\nelse: [{ claim: p, device: a, max: 0 }]",
    "3:8 missing_key",
  ],
  ["an average and a change", SET("{ device: a, attribute: b, average: 1m, change: 1h }"), "2:61 conflicting_keys"],
  ["an average of a variable", SET("{ variable: a, average: 1m }"), "2:36 conflicting_keys"],
  ["a budget without a limit", SET("{ device: a, attribute: b, budget: 15m }"), "2:17 missing_key"],
  ["a limit without a budget", SET("{ variable: a, limit: 5 }"), "2:36 conflicting_keys"],
  ["two sources", SET("{ variable: a, sum: [1] }"), "2:17 conflicting_keys"],
  ["an empty sum", SET("{ sum: [] }"), "2:23 empty_value"],
  ["a long sum", SET(`{ sum: [${"1, ".repeat(20)}1] }`), "2:23 document_too_complex"],
  ["sums in sums", SET(`${"{ sum: [".repeat(5)}1${"] }".repeat(5)}`), "document_too_deep"],
  ["a value that no text has", "when: { every: 1h }\nthen: { notify: x, values: { y: 1 } }", "2:30 unknown_key"],
  ["a window without end", "when: { from: '10:00', to: '10:00' }\nthen: { notify: x }", "1:28 conflicting_keys"],
  ["a range", "when: { device: a, attribute: b, between: [9, 1] }\nthen: { notify: x }", "1:34 min_above_max"],
  ["no trigger", "when: []\nthen: { notify: x }", "1:1 empty_value"],
  ["no condition", "when: { all: [] }\nthen: { notify: x }", "1:9 empty_value"],
  [
    "two claims",
    "when: { device: a, is: offline }\nthen: { claim: p, device: a, max: 0, min: 0 }",
    "2:30 conflicting_keys",
  ],
  [
    "regular expressions",
    "when: { device: a, attribute: b, above: 1, matches: '(a+)+$' }\nthen: { notify: x }",
    "1:44 unknown_key",
  ],
])("%s: what does not go together is said", (_, text, expected) => {
  expect(problems(text)[0]).toContain(expected);
  expect(parseRule(text).rule).toBeUndefined();
});

test("hostile documents are refused in words", () => {
  const nested = (open: string, close: string, count: number) =>
    `when: ${open.repeat(count)}{ every: 1h }${close.repeat(count)}\nthen: { notify: x }`;
  const many = (line: string, count: number) => Array<string>(count).fill(line).join("\n");
  const texts: readonly string[] = [
    "",
    "[]",
    "x",
    "\0",
    "when: &a [*a]\nthen: *a",
    `a: &a [${'"x",'.repeat(50)}]\nb: &b [${"*a,".repeat(50)}]\nc: &c [${"*b,".repeat(50)}]\nwhen: *c`,
    "x".repeat(300_000),
    nested("{ not: ", " }", 200),
    nested("{ not: ", " }", 12),
    nested("[", "]", 20),
    `when:\n${many("  - { every: 1h }", 300)}\nthen: { notify: x }`,
    `when: { all: [${"{ device: a, is: offline },".repeat(300)}] }\nthen: { notify: x }`,
    `when: { every: 1h }\nthen:\n${many("  - { notify: x }", 300)}`,
    `when: { every: 1h }\nthen: { notify: ${"x".repeat(5_000)} }`,
    "when: { every: 1e400h }\nthen: { notify: x }",
    "when: { device: a, attribute: b, above: .nan }\nthen: { notify: x }",
    "when: { device: a, attribute: b, above: .inf }\nthen: { notify: x }",
    `when: { cron: "${"* ".repeat(5_000)}" }\nthen: { notify: x }`,
    `when: { at: "sunset+${"9".repeat(5_000)}h" }\nthen: { notify: x }`,
  ];
  for (const text of texts) {
    const { rule, issues } = parseRule(text);
    expect([text.slice(0, 40), rule]).toEqual([text.slice(0, 40), undefined]);
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.length).toBeLessThan(1_100);
    for (const { message } of issues) expect(message.length).toBeLessThan(500);
  }
});

test("names such as constructor and __proto__ are ordinary names", () => {
  const text = `
when: { device: __proto__, attribute: constructor, above: 1 }
then:
  - { execute: toString, device: hasOwnProperty, arguments: { __proto__: 1, constructor: 2 } }
  - { set: __proto__, to: 1 }
`;
  const { rule } = parseRule(text);
  expect(rule?.level).toMatchObject({ device: "__proto__", attribute: "constructor" });
  const [first] = rule?.thenActions ?? [];
  expect(first?.kind === "execute" && Object.keys(first.arguments)).toEqual(["__proto__", "constructor"]);
  expect(problems(text, SITE).length).toBe(2);
  expect(problems("__proto__: 1\nwhen: { every: 1h }\nthen: { notify: x }")[0]).toContain("unknown_key");
});

test("the JSON Schema is valid, and takes what the parser takes", () => {
  const validate = new Ajv2020({ strict: false }).compile(renderRuleSchema());
  const text = `{
    "when": [{ "device": "a", "attribute": "b", "above": { "variable": "x" } }, { "at": "sunset" }],
    "if": { "any": [{ "not": { "variable": "x", "equals": [1, "two"] } }, { "from": "22:00", "to": "06:00", "days": "weekdays" }] },
    "then": { "notify": "x" }
  }`;
  const good = JSON.parse(text);
  expect(validate(good)).toBe(true);
  expect(parseRule(JSON.stringify(good)).issues).toEqual([]);
  for (const bad of [{}, { ...good, when: { at: 5 } }, { ...good, mode: "x" }, { ...good, extra: 1 }]) {
    expect(validate(bad)).toBe(false);
    expect(parseRule(JSON.stringify(bad)).rule).toBeUndefined();
  }
});
