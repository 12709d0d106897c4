import { expect, test } from "vitest";
import { parseRuleScenarios } from "./parse-rule-scenarios.ts";
import { readRuleTest } from "./read-rule-test.ts";

const problems = (text: string) =>
  parseRuleScenarios(text, "a.test.yml").issues.map(
    ({ message, range: { start } }) => `${start.line}:${start.column} ${message}`,
  );

test("everything that is wrong is reported at once, with its place and what would be right", () => {
  const text = `timezone: Mars/Base
devices:
  meter: {telemetry: {power: []}, every: 10}
steps:
  - wiat: 5s
  - set: {metre: silent}
  - set: {meter: asleep}
    within: 5s
  - expect: {claims: {meter: {power: {contians: 5}}}, runs: started, is: maybe}
  - restart: yes please
`;
  expect(problems(text)).toEqual([
    '1:11 timezone must be a time zone such as Europe/Berlin, and is the text "Mars/Base".',
    "3:23 power must be a value, absent, {follows: control}, or {value: -2000, adds: {heater: power}}, and is a list.",
    "3:42 every must be a duration from 1s to 1d, such as 30s or 1h30m, and is the number 10. Did you mean 10s?",
    '5:5 A step has no key "wiat". Did you mean wait?',
    '6:11 There is no device "metre". Did you mean meter?',
    '7:18 meter cannot be "asleep". Known are silent, offline, well.',
    "8:5 within waits for what is expected, but nothing is. Add expect, or write wait.",
    '9:31 An expectation has no key "contians". Did you mean contains? An object as value is written {equals: {...}}.',
    '9:61 runs cannot be "started". Known are then, else, ran, skipped, not_met, unknown, loop, failed.',
    '9:74 is cannot be "maybe". Known are on, off.',
    '10:14 restart must be a duration such as 5s, 200ms or 1m30s, and is the text "yes please".',
  ]);
});

test.each([
  ["devices: {}", "A scenario needs either steps, or scenarios for several of them."],
  ["rule: a.yml\ncontroller: {id: b}\nsteps: []", "A scenario tests either a rule, or a controller."],
  [
    `scenarios: [${Array.from({ length: 101 }, (_, n) => `{name: "${n}", steps: []}`).join(", ")}]`,
    "at most 100 scenarios",
  ],
  [`steps: [${"{wait: 1s}, ".repeat(501)}]`, "at most 500 steps"],
  [`devices: {${Array.from({ length: 51 }, (_, n) => `d${n}: {}`).join(", ")}}\nsteps: []`, "at most 50 devices"],
  [
    "calendars: {a: {plan: {mon: [{from: '10:00', to: '12:00'}, {from: '11:00', to: '13:00'}]}}}\nsteps: []",
    "overlaps",
  ],
  ["steps: [{claim: {}, release: {a: b}}]", "There is no device"],
  ["\u0000", ""],
  ["a: &a [*a, *a]", ""],
  ["[".repeat(5_000), ""],
])("%s is refused", (text, message) => {
  expect(problems(text).join("\n")).toContain(message);
  expect(problems(text)).not.toEqual([]);
});

const read = (source: string, text = "when: { every: 1h }\nthen: { notify: x }") =>
  readRuleTest({
    source,
    file: "a.test.yml",
    cronProblem: undefined,
    scriptOf: () => ({ name: "a.yml", language: "yaml", text, intervalMs: undefined }),
  });

test("a rule is held against what the scenario says of the site", () => {
  const { task, rule } = read(
    "devices: {meter: {telemetry: {power: 5, state: absent}, controls: {limit: W}}}\nsteps: [{set: {meter: {telemetry: {soc: 5}}}}]",
    `when:
  - { device: metre, attribute: power, above: 5 }
  - { device: meter, attribute: pwr, above: 5 }
  - { device: meter, attribute: soc, above: 5 }
  - { device: meter, attribute: state, equals: 5 }
  - { from: sunrise, to: sunset }
  - { calendar: holidays }
then: { claim: limits, device: meter, target: 5 }`,
  );
  expect(task).toBeUndefined();
  expect(rule?.issues.map(({ range, message }) => `${range.start.line} ${message.slice(0, 40)}`)).toEqual([
    '2 There is no device "metre". Did you mean',
    '3 There is no attribute of meter "pwr". Kn',
    "6 Nobody knows where the sun rises: the si",
    "6 Nobody knows where the sun rises: the si",
    '7 There is no calendar "holidays". None is',
    '8 There is no control of meter "limits". D',
  ]);
});

test("a controller makes the rule, and what is wrong with its parameters is said at its place", () => {
  const devices = "devices: {boiler: {controls: {power: W}}}\nsteps: []\n";
  const made = (given: string) => read(`${devices}controller: ${given}`);
  const { task } = made(
    "{id: cheap_hours, parameters: {device: boiler, control: power, value: 1, prices: variable, below: 2}}",
  );
  expect(task?.script.text).toContain("below: 2");
  const said = (given: string) => made(given).issues.map(({ message, range }) => `${range.start.line} ${message}`);
  expect(said("{id: cheap_hour}")).toEqual(['3 There is no controller "cheap_hour". Did you mean cheap_hours?']);
  expect(
    said("{id: cheap_hours, parameters: {device: bolier, control: power, value: 1, prices: variable, below: 2}}"),
  ).toEqual(['3 the site has no device "bolier"; did you mean boiler?.']);
});
