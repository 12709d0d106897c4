import { expect, test } from "vitest";
import { lineOf, playScenarios } from "../../../../test/support/rule-scenarios.ts";

const SITE = `devices:
  meter: {telemetry: {power: 0}}
  pump: {controls: {level: "%"}, commands: {start: success}}
`;

/** Failures of one scenario in short. */
async function failing(rule: string, steps: string, site = SITE): Promise<readonly string[]> {
  const reports = await playScenarios(rule, `${site}steps:\n${steps}`);
  return reports.flatMap(({ failures }) => failures.map(lineOf));
}

const RULE = `
when: { device: meter, attribute: power, above: 100 }
then:
  - { execute: start, device: pump, arguments: { level: 2 } }
  - { claim: level, device: pump, max: 50 }
  - { notify: It runs, severity: warning, title: Pump }
  - { set: runs, to: true }
else: { notify: It stopped }
`;

test("claims, commands, messages, runs and variables are held against what is expected", async () => {
  const found = await failing(
    RULE,
    `  - wait: 1m
    expect: {claims: none, commands: none, messages: none, runs: none, is: off, variables: {runs: absent}}
  - set: {meter: {telemetry: {power: 101}}}
    expect:
      is: on
      claims: {pump: {level: absent}}
      limits: {pump: {level: {max: 50, min: absent}}}
      commands: {pump: {command: start, arguments: {level: 2}}, meter: none}
      messages: {severity: warning, title: Pump, text: runs}
      runs: {branch: then, outcome: ran, why: became true, trigger: /when}
      variables: {runs: true}
  - set: {meter: {telemetry: {power: 0}}}
    expect: {is: off, messages: [It stopped], runs: [else], commands: none, limits: {pump: {level: absent}}}
`,
  );
  expect(found).toEqual([]);
});

test("what does not hold says what was expected, what came, where and when", async () => {
  const found = await failing(
    RULE,
    `  - set: {meter: {telemetry: {power: 101}}}
    wait: 30s
    expect:
      is: off
      claims: none
      limits: {pump: {level: {max: {max: 40}}}}
      commands: {pump: [start, stop]}
      messages: [It runs, It runs]
      runs: else
      variables: {runs: false}
  - expect: {claims: {pump: {level: 3}}, commands: none, messages: none}
`,
  );
  expect(found).toEqual([
    "10 max claimed of pump level: expected at most 40, came max 50 at 30000",
    "9 claims: expected none, came pump level max 50 at 30000",
    '11 commands of pump: expected start, then stop, came start {"level":2} at 30000',
    '12 messages: expected a text with "It runs", then a text with "It runs", came warning: "It runs" at 30000',
    "13 runs: expected else, came then (it became true) at 30000",
    "8 the rule: expected off, came on at 30000",
    "14 variable runs: expected false, came true at 30000",
    "15 claim of pump level: expected 3, came max 50 at 30000",
    '15 commands: expected none, came start {"level":2} of pump at 30000',
    '15 messages: expected none, came warning: "It runs" at 30000',
  ]);
});

test("the end of a command starts what waits for it, whoever executed it", async () => {
  const rule = `
when: [{ device: pump, command: start, ended: error }, { device: meter, attribute: power, above: 10 }]
then: { execute: start, device: pump }
mode: queued
`;
  const site = SITE.replace("start: success", "start: error");
  const found = await failing(
    rule,
    `  - execution: {device: pump, command: start}
    expect: {commands: none}
  - execution: {device: pump, command: start, ended: error}
    expect: {commands: {pump: start}}
  - wait: 500ms
    expect: {commands: none}
  - wait: 600ms
    expect: {commands: {pump: start}}
  - set: {pump: {commands: {start: success}}}
    wait: 10s
    expect: {commands: none}
`,
    site,
  );
  expect(found).toEqual([]);
});

test("connections, alerts, calendars and claims of others are what the scenario says", async () => {
  const rule = `
when:
  - { device: pump, is: offline }
  - { device: pump, alert: dry }
  - { calendar: holidays }
  - { calendar: night, above: 5 }
  - { device: pump, control: level, held_by: person }
then: { notify: x }
else: { notify: y }
`;
  const found = await failing(
    rule,
    `  - expect: {is: off}
  - {set: {pump: offline}, expect: {is: on}}
  - {set: {pump: well}, expect: {is: off}}
  - {set: {pump: {alerts: [dry]}}, expect: {is: on}}
  - {set: {pump: {alerts: []}}, expect: {is: off}}
  - {calendars: {holidays: on}, expect: {is: on}}
  - {calendars: {holidays: off}, expect: {is: off}}
  - {claim: {pump: {level: {target: 3, lease: 1m}}}, expect: {is: on}}
  - {within: 61s, expect: {is: off}}
  - {claim: {pump: {level: 3}}, expect: {is: on}}
  - {release: {pump: level}, expect: {is: off}}
  - {at: 22h, wait: 1s, expect: {is: on}}
  - {at: 31h, expect: {is: off, runs: [else]}}
`,
    `${SITE}calendars: {holidays: off, night: {plan: {thu: [{from: "22:00", to: "06:00", value: 21}]}}}\n`,
  );
  expect(found).toEqual([]);
});

test("a device that follows its control closes the loop, as far as claims of others allow", async () => {
  const rule = `
when: { device: meter, attribute: power, below: -100 }
then: { claim: power, device: heater, target: { sum: [{ device: heater, attribute: power }, { device: meter, attribute: power, times: -1 }] } }
`;
  const site = `devices:
  heater: {telemetry: {power: {follows: power}}, controls: {power: {unit: W, max: 3000}}, every: 1s}
  meter: {telemetry: {power: {value: -2000, adds: {heater: power}}}, every: 1s}
`;
  const found = await failing(
    rule.replace("below: -100", "below: 100"),
    `  - wait: 10s
    expect: {claims: {heater: {power: 2000}}}
  - claim: {heater: {power: {max: 500, class: grid}}}
    wait: 1m
    expect: {claims: {heater: {power: 2000}}}
`,
    site,
  );
  expect(found).toEqual([]);
});

test("a loop that the engine stops fails the scenario, unless it is expected", async () => {
  const rule = "when: { every: 1s }\nthen: { execute: start, device: pump }";
  const step = (expected: string) => `  - wait: 30s\n    expect: {${expected}}\n`;
  const [found] = await failing(rule, step("is: on"));
  expect(found).toContain("the rule: expected on, came it has no conditions");
  expect((await failing(rule, step("messages: none"))).join()).toContain("minute");
  expect(await failing(rule, step("error: minute"))).toEqual([]);
});

test("what would take too long ends with a word", async () => {
  const rule = "when: { every: 1s }\nthen: { set: a, to: 1 }";
  const [many] = await playScenarios(rule, `${SITE}steps: [{wait: 1h}]`, 100);
  expect(many?.failures.map(lineOf)).toEqual([
    "4 a scenario has at most 100 steps of the rule; let less time pass at 77000",
    "0 variable a: more than 12 in a minute at 13000",
  ]);
  const names = Array.from({ length: 60 }, (_, n) => `a${n}: 1`).join(", ");
  const [full] = await playScenarios(
    rule.replace("1s", "1h"),
    `devices: {a: {every: 1s, telemetry: {${names}}}}\nsteps: [{wait: 7d}]`,
  );
  expect(full?.failures.map(lineOf).join()).toContain("the devices send too many values");
});

test("the same scenario gives the same report", async () => {
  const steps = `${SITE}steps:\n  - {set: {meter: {telemetry: {power: 500}}}, wait: 1h, expect: {messages: none}}\n`;
  expect(await playScenarios(RULE, steps)).toEqual(await playScenarios(RULE, steps));
});

test("after a clock is set back, what was measured in the time that comes again does not count", async () => {
  const rule = "when: { value: { device: meter, attribute: power, average: 1m }, above: 90 }\nthen: { notify: x }";
  const found = await failing(
    rule,
    `  - {wait: 10m, expect: {is: off}}
  - {clock: 2026-01-01T00:05:00Z, set: {meter: {telemetry: {power: 100}}}, wait: 2m, expect: {is: on}}
`,
  );
  expect(found).toEqual([]);
});

test("a step in the past is refused, and a clock that is set back makes `for` no longer than from then on", async () => {
  const rule = "when: { device: meter, attribute: power, above: 10 }\nfor: 10m\nthen: { notify: x }";
  const found = await failing(
    rule,
    `  - {set: {meter: {telemetry: {power: 11}}}, wait: 5m}
  - {clock: 2025-12-31T23:00:00Z, wait: 4m, expect: {is: off}}
  - {wait: 7m, expect: {is: on, messages: x}}
  - at: 1m
`,
  );
  expect(found).toEqual(["8 at 60 s has passed already: the step begins at 960 s at 960000"]);
});
