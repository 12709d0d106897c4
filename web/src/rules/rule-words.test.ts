import { expect, test } from "vitest";
import { NO_NAMES, type RuleNames } from "./rule-names.ts";
import { createRuleTools } from "./rule-tools.ts";
import { ruleWords, wordsAt } from "./rule-words.ts";
import { lengthOf, triggerOf, truthOf } from "./trace-view.ts";

const NAMES: RuleNames = {
  devices: [
    {
      id: "d1",
      slug: "meter",
      name: "Grid meter",
      category: null,
      profiles: [],
      attributes: [{ name: "power", display_name: "Power", type: "float", unit: "W" }],
      commands: [{ name: "start", display_name: "Start" }],
      controls: [{ name: "limit", display_name: "limit", unit: "A", min: null, max: null }],
      alerts: [{ id: "dry", display_name: "Dry run" }],
    },
  ],
  variables: [],
  calendars: [],
  prices: [],
};

const read = (text: string) => {
  const { rule } = createRuleTools().read(text);
  if (rule === undefined) throw new Error(`no rule: ${text}`);
  return rule;
};
const wordsOf = (text: string, names: RuleNames = NAMES) => ruleWords(read(text), names);
const when = (text: string) => wordsOf(`when: [${text}]\nthen: { notify: x }`).when[0];
const then = (text: string) => wordsOf(`when: { device: meter, is: offline }\nthen: ${text}`).actions[0];

test.each([
  ["{ device: meter, attribute: power, above: 10 }", "Power of Grid meter is above 10 W"],
  ["{ device: d1, attribute: power, above: 1.5, unit: kW }", "Power of Grid meter is above 1.5 kW"],
  [
    "{ device: meter, attribute: power, below: 5, hysteresis: 2 }",
    "Power of Grid meter is below 5 W (until it has gone back by 2 W)",
  ],
  ["{ device: meter, attribute: power, between: [1, 2] }", "Power of Grid meter is from 1 W to 2 W"],
  ["{ device: gone, attribute: mode, equals: [on, 5, true] }", "mode of gone is “on” or 5 or yes"],
  [
    "{ device: meter, attribute: power, above: { variable: limit, times: -1, plus: 5, max: 9 } }",
    "Power of Grid meter is above −1 × the variable limit + 5 W, at most 9 W",
  ],
  [
    "{ device: meter, attribute: power, average: 5m, above: 10 }",
    "the average of Power of Grid meter over 5 min is above 10 W",
  ],
  [
    "{ value: { sum: [{ variable: a }, { variable: b, times: 2 }], step: 10 }, above: 5 }",
    "the sum of the variable a and 2 × the variable b in steps of 10 is above 5",
  ],
  [
    "{ value: { device: meter, attribute: power, budget: 15m, limit: 8000 }, above: 5 }",
    "what is left of 8000 W on average for Power of Grid meter within 15 min is above 5",
  ],
  ["{ device: meter, attribute: power, stale_for: 5m }", "nothing has come of Power of Grid meter for 5 min"],
  ["{ device: meter, alert: dry }", "the alert “Dry run” of Grid meter is active"],
  ["{ device: meter, alert: any }", "an alert of Grid meter is active"],
  ["{ device: meter, is: offline }", "Grid meter is offline"],
  ["{ device: meter, control: limit, held_by: nobody }", "nobody controls limit of Grid meter"],
  ["{ from: sunset-30m, to: '06:00', days: weekdays }", "it is between 30 min before sunset and 06:00 on weekdays"],
  [
    "{ any: [{ variable: a, equals: 1 }, { all: [{ variable: b, above: 1 }, { not: { variable: c, below: 2 } }] }] }",
    "the variable a is 1 or (the variable b is above 1 and not (the variable c is below 2))",
  ],
  ["{ at: '07:30', days: [mon, wed] }", "at 07:30 on Mon, Wed"],
  ["{ cron: '30 7 * * 1-5' }", "by the schedule 30 7 * * 1-5"],
  ["{ calendar: holidays }", "the calendar holidays is running"],
  ["{ calendar: holidays, is: off }", "not (the calendar holidays is running)"],
  ["{ tariff: import, below: 0.2 }", "the price for import is below 0.2"],
  ["{ variable: x, above: { tariff: export, times: 2 } }", "the variable x is above 2 × the price for export"],
  [
    "{ tariff: import, cheapest: 4h, before: '06:00' }",
    "it is within the 4 h in which the price for import is lowest, of the day up to 06:00",
  ],
  [
    "{ tariff: export, dearest: 1h30m, from: sunset, before: '22:00', unbroken: true }",
    "it is within the 1 h 30 min in which the price for export is highest, between sunset and 22:00, in one piece",
  ],
  ["{ every: 15m }", "every 15 min"],
  ["{ device: meter, command: start, ended: error }", "Start of Grid meter has failed"],
])("%s reads: %s", (text, words) => {
  expect(when(text)).toBe(words);
});

test.each([
  ["{ claim: limit, device: meter, target: 6, reason: Night }", "hold limit of Grid meter at 6 A (“Night”)"],
  [
    "{ claim: limit, device: meter, max: unlimited, hold: 2h }",
    "keep limit of Grid meter at or below no limit, for 2 h",
  ],
  ["{ execute: start, device: meter, arguments: { level: 2 } }", "execute Start on Grid meter with level = 2"],
  ["{ notify: Hello, severity: error }", "report the error “Hello”"],
  ["{ set: away, to: true }", "set the variable away to yes"],
  ["{ wait: 1h30m }", "wait 1 h 30 min"],
])("%s does: %s", (text, words) => {
  expect(then(text)).toBe(words);
});

test("the parts of a rule are apart, so that each can be read alone", () => {
  const words = wordsOf(`when:
  - { device: meter, attribute: power, above: 1 }
  - { every: 1h }
for: 2m
if: { all: [{ variable: a, equals: 1 }] }
then: [{ wait: 5s }, { notify: x }]
else: { notify: y }
min_on: 10m
mode: queued
missed: run_late
late: 2h
`);
  expect(words).toMatchObject({
    when: [/Power/, "every 1 h"].map(() => expect.any(String)),
    for: "for 2 min",
    elseWord: "When it turns off",
  });
  expect([words.when.length, words.if.length, words.actions.length, words.otherwise.length]).toEqual([2, 1, 2, 1]);
  expect(words.more).toEqual([
    "Once on, it stays on for 10 min.",
    "A new start waits for the run before.",
    "A time that was missed is made up for within 2 h.",
  ]);
  expect(wordsOf("when: { every: 1h }\nthen: { notify: x }\nelse: { notify: y }", NO_NAMES).elseWord).toBe("Otherwise");
});

test("a trigger is named by its words while the rule still has it, and by its place otherwise", () => {
  const rule = read(
    "when: [{ every: 1h }, { device: meter, is: offline }]\nif: { not: { variable: a, equals: 1 } }\nthen: { notify: x }",
  );
  const trace = (trigger: string) =>
    ({ trigger, at: "2026-11-18T10:00:00Z", ended_at: "2026-11-18T10:00:05Z" }) as Parameters<typeof triggerOf>[0];
  expect(triggerOf(trace("/when/0"), rule, NAMES)).toBe("every 1 h");
  expect(triggerOf(trace("/when/7"), rule, NAMES)).toBe("/when/7");
  expect(triggerOf(trace("job"), undefined, NAMES)).toBe("job");
  expect(triggerOf(trace("/when"), rule, NAMES)).toBeUndefined();
  expect(triggerOf(trace("/when"), read("when: { every: 1s }\nthen: { notify: x }"), NAMES)).toBe("every 1 s");
  expect(wordsAt(rule, "/if/not", NAMES)).toBe("the variable a is 1");
  expect(wordsAt(rule, "/then", NAMES)).toBe("report “x”");
  expect(lengthOf(trace(""))).toBe(5_000);
  expect([true, false, null].map((outcome) => truthOf({ outcome }))).toEqual(["isTrue", "isFalse", "isUnknown"]);
});
