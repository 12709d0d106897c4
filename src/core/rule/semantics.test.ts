// What rules promise. Each test is named after the failure that users of other programs have reported.
import { expect, test } from "vitest";
import { ms, RuleRun, RuleSiteInTime } from "../../../test/support/rule-run.ts";
import { MOST_PER_MINUTE, MOST_RUNS, MOST_TRACES } from "./rule.ts";
import { recordTraces } from "./rule-trace.ts";

const PEAK = `
when: { device: meter, attribute: power, above: 10 }
for: 10m
then:
  - { claim: power, device: charger, max: 0 }
  - notify: The limit is near.
else:
  - notify: All is well.
`;

test("1. a restart in the middle of `for` does not begin it anew", () => {
  const run = new RuleRun(PEAK).start().set("meter.power", 12).pass("7m");
  run.restart("2m").pass("59s");
  expect(run.done()).toEqual([]);
  expect(run.pass("1s").done()).toEqual(["600s notify The limit is near.", "600s claim charger.power max=0"]);
});

test("1. a value that went back while the service was off begins `for` anew, by stored telemetry", () => {
  const run = new RuleRun(PEAK).start().set("meter.power", 12).pass("7m");
  const { site } = run;
  run.restart("4m", () => {
    site.measure("meter.power", 3, site.now + ms("1m"));
    site.measure("meter.power", 12, site.now + ms("2m"));
  });
  expect(run.done()).toEqual([]);
  // It is true since the ninth minute.
  expect(run.pass("7m59s").done()).toEqual([]);
  expect(run.pass("1s").done()).toHaveLength(2);
  expect(site.now - run.begun).toBe(ms("19m"));
});

test("1. while the service is off, what nobody has stored does not count, and is not taken for false", () => {
  const run = new RuleRun(PEAK).start().set("meter.power", 12).pass("7m");
  run.site.now += ms("2h");
  run.step({ kind: "start", history: undefined });
  expect(run.done()).toEqual([]);
  expect(run.pass("2m59s").done()).toEqual([]);
  expect(run.pass("1s").done()).toHaveLength(2);
});

test("1. a wait goes on over a restart, also if its time came meanwhile", () => {
  const text = "when: { at: '01:00' }\nthen: [{ notify: first }, { wait: 10m }, { notify: second }]";
  const run = new RuleRun(text).start().pass("1h5m");
  expect(run.restart("2m").pass("3m").done()).toEqual(["3600s notify first", "4200s notify second"]);
  const late = new RuleRun(text).start().pass("1h5m");
  expect(late.restart("1h").done()).toEqual(["3600s notify first", "7500s notify second"]);
  expect(new Set(late.effects.map(({ key }) => key)).size).toBe(2);
});

test("1. an edit of something else lets `for` and waits go on", () => {
  const run = new RuleRun(PEAK).start().set("meter.power", 12).pass("7m");
  run.edit(PEAK.replace("All is well", "Everything is well")).pass("3m");
  expect(run.done()).toHaveLength(2);
  const waits = "when: { every: 1h }\nthen: [{ notify: first }, { wait: 10m }, { notify: second }]";
  const waiting = new RuleRun(waits).start().pass("1h1m");
  waiting.edit(waits.replace("second", "another")).pass("9m");
  expect(waiting.done()).toEqual(["3600s notify first", "4200s notify another"]);
  const changed = new RuleRun(waits).start().pass("1h1m");
  changed.edit(waits.replace("wait: 10m", "wait: 5m")).pass("9m");
  expect(changed.done()).toEqual(["3600s notify first"]);
  expect(changed.traces.at(-1)?.ended).toBe("the rule was changed");
});

test("1. a shorter `for` counts from when the value became true", () => {
  const run = new RuleRun(PEAK).start().set("meter.power", 12).pass("7m");
  expect(run.edit(PEAK.replace("for: 10m", "for: 5m")).done()).toHaveLength(2);
  const other = new RuleRun(PEAK).start().set("meter.power", 12).pass("7m");
  // New conditions are compared with stored telemetry, too.
  expect(other.edit(PEAK.replace("above: 10", "above: 11").replace("for: 10m", "for: 6m")).done()).toHaveLength(2);
});

const NOTIFY = `
when: { device: meter, attribute: power, above: 10, max_age: 1m }
then: { notify: high }
else: { notify: low }
`;

test("2. a value that is unavailable for a while does not start the rule again", () => {
  const run = new RuleRun(NOTIFY).start().set("meter.power", 12).pass("10m");
  expect(run.set("meter.power", 12).pass("10m").set("meter.power", Number.NaN).set("meter.power", 12).done()).toEqual([
    "0s notify high",
  ]);
  expect(run.set("meter.power", 5).done()).toEqual(["1200s notify low"]);
  expect(run.pass("5m").set("meter.power", 12).done()).toEqual(["1500s notify high"]);
});

test("2. nothing starts or ends while a condition is unknown, also not by `not`", () => {
  const text = `
when: { not: { device: meter, attribute: power, above: 10 } }
if: { device: battery, attribute: soc, above: 50 }
then: { notify: on }
else: { notify: off }
`;
  const run = new RuleRun(text).start().pass("1m");
  expect(run.done()).toEqual([]);
  run.set("meter.power", 3);
  expect(run.done()).toEqual([]);
  expect(run.set("battery.soc", 80).done()).toEqual(["60s notify on"]);
  expect(run.set("battery.soc", null).set("meter.power", "?").done()).toEqual([]);
  expect(run.set("meter.power", 11).done()).toEqual(["60s notify off"]);
});

test("2. a moment at which `if` is unknown runs neither `then` nor `else`, and says so", () => {
  const text = `
when: { every: 1h }
if: { device: meter, attribute: power, above: 10 }
then: { notify: high }
else: { notify: low }
`;
  const run = new RuleRun(text).start().pass("1h");
  expect(run.done()).toEqual([]);
  expect(run.traces.map(({ outcome }) => outcome)).toEqual(["unknown"]);
  run.set("meter.power", 3).pass("1h").set("meter.power", 30).pass("1h");
  expect(run.done()).toEqual(["7200s notify low", "10800s notify high"]);
});

test("2. time that is unknown does not count for `for`", () => {
  const run = new RuleRun(PEAK.replace("above: 10", "above: 10, max_age: 1m")).start();
  run.set("meter.power", 12).pass("30m");
  // One minute was known.
  for (let minute = 0; minute < 10; minute += 1) run.set("meter.power", 12).pass("50s");
  expect(run.done()).toEqual([]);
  expect(run.set("meter.power", 12).pass("1m").set("meter.power", 12).done()).toHaveLength(2);
});

test("3. an old value is unknown by the usual interval of its attribute, at least 30 s, unless the rule says more", () => {
  const site = new RuleSiteInTime();
  site.usualMs = ms("1s");
  const run = new RuleRun(
    "when: { device: meter, attribute: power, above: 10 }\nfor: 1m\nthen: { notify: high }",
    site,
  );
  run.start().set("meter.power", 12).pass("5m");
  expect(run.done()).toEqual([]);
  const patient = new RuleRun(
    "when: { device: meter, attribute: power, above: 10, max_age: 2m }\nfor: 1m\nthen: { notify: high }",
    site,
  );
  expect(patient.start().set("meter.power", 12).pass("5m").done()).toEqual(["60s notify high"]);
  site.usualMs = ms("1m");
  const slow = new RuleRun(
    "when: { device: meter, attribute: power, above: 10 }\nfor: 1m\nthen: { notify: high }",
    site,
  );
  expect(slow.start().set("meter.power", 12).pass("5m").done()).toEqual(["60s notify high"]);
});

test("3. stale is a trigger of its own", () => {
  const text =
    "when: { device: meter, attribute: power, stale_for: 5m }\nthen: { notify: silent }\nelse: { notify: back }";
  const run = new RuleRun(text).start().pass("1h");
  // What never came is unknown.
  expect(run.done()).toEqual([]);
  run.set("meter.power", 1).pass("4m").set("meter.power", 1).pass("10m").set("meter.power", 2);
  expect(run.done()).toEqual(["4140.001s notify silent", "4440s notify back"]);
});

const CHARGE = `
name: Surplus
when: { device: meter, attribute: power, below: -1500, hysteresis: 500, max_age: 5m }
then:
  - { claim: power, device: charger, target: 4000, lease: 60s }
  - notify: The car charges.
`;

test("4. control is by level: a claim that somebody ends, or that a restart loses, is made again; a message is sent once", () => {
  const run = new RuleRun(CHARGE).start().set("meter.power", -2000).pass("4m");
  const claims = run.effects.filter(({ kind }) => kind === "claim");
  // Every 20 s.
  expect(claims).toHaveLength(13);
  expect(new Set(claims.map(({ key }) => key)).size).toBe(1);
  expect(run.restart("10s").effects.filter(({ kind }) => kind === "claim")).toHaveLength(14);
  expect(run.set("meter.power", -900).done()).toEqual([
    "0s notify The car charges.",
    "0s claim charger.power=4000",
    "250s release charger.power",
  ]);
});

test("4. while nothing is known the lease runs out, and afterwards the claim comes back without a second message", () => {
  const run = new RuleRun(CHARGE).start().set("meter.power", -2000).pass("20m");
  const last = run.effects.at(-1);
  expect(last?.kind === "claim" && last.leaseUntil - run.begun).toBe(ms("6m"));
  run.set("meter.power", -2000);
  expect(run.effects.at(-1)).toMatchObject({ kind: "claim", leaseUntil: run.site.now + 60_000 });
  expect(run.effects.filter(({ kind }) => kind === "notify")).toHaveLength(1);
});

test("4. a claimed value follows what it is taken from, once a second at most", () => {
  const run = new RuleRun(`
when: { device: meter, attribute: power, below: 0 }
then:
  - claim: power
    device: charger
    target: { device: meter, attribute: power, times: -1, plus: -200, min: 0, max: 11000 }
`).start();
  for (let n = 0; n < 100; n += 1) {
    run.set("meter.power", -1000 - n);
    run.site.now += 100;
  }
  run.pass("2s").set("meter.power", -50_000);
  const values = run.effects.flatMap((effect) => (effect.kind === "claim" ? [effect.value] : []));
  expect(values.length).toBeLessThanOrEqual(13);
  expect(values.slice(-2)).toEqual([899, 11_000]);
});

test("5. two triggers at the same moment run one after the other, and each effect has its own key", () => {
  const run = new RuleRun(`
mode: queued
when: [{ every: 1h }, { cron: "0 * * * *" }]
then: [{ notify: first }, { wait: 1m }, { notify: second }]
`).start();
  expect(run.pass("1h10m").done()).toEqual([
    "3600s notify first",
    "3660s notify second",
    "3660s notify first",
    "3720s notify second",
  ]);
  expect(new Set(run.effects.map(({ key }) => key)).size).toBe(4);
  expect(run.effects[0]?.key).toBe(`rule/when/0@${run.begun + ms("1h")}/then/0`);
});

test("5. the same step calculated twice gives the same keys", () => {
  const run = new RuleRun("when: { every: 1h }\nthen: { notify: now }").start().pass("59m");
  const { state } = run;
  run.site.now += ms("1m") + 400;
  const first = run.step();
  run.state = state;
  run.site.now += 300;
  expect(run.step().map(({ key }) => key)).toEqual(first.map(({ key }) => key));
});

test.each([
  ["single", ["a0", "b0", "a2", "b2"]],
  ["restart", ["a0", "a1", "a2", "b2"]],
  ["queued", ["a0", "b0", "a1", "b1", "a2", "b2"]],
  ["parallel", ["a0", "a1", "b0", "a2", "b1", "b2"]],
] as const)("5. mode %s", (mode, expected) => {
  const run = new RuleRun(`
mode: ${mode}
when: { every: 10m }
then: [{ notify: a }, { wait: 15m }, { notify: b }]
`).start();
  run.pass("31m");
  // No further moment.
  run
    .edit(`
mode: ${mode}
when: { every: 7d }
then: [{ notify: a }, { wait: 15m }, { notify: b }]
`)
    .pass("1h");
  const runs = [...new Set(run.effects.map(({ causes }) => causes[0]))];
  const done = run.effects.map(
    (effect) => `${effect.kind === "notify" ? effect.text : ""}${runs.indexOf(effect.causes[0])}`,
  );
  const wanted = mode === "single" ? ["a0", "b0", "a1", "b1"] : expected;
  expect(done).toEqual(wanted);
});

test("5. a queue and parallel runs have an end", () => {
  for (const mode of ["queued", "parallel"]) {
    const run = new RuleRun(`mode: ${mode}\nwhen: { every: 1s }\nthen: [{ wait: 1h }, { notify: b }]`)
      .start()
      .pass("1m");
    expect(run.state.runs.length + run.state.queue.length).toBe(MOST_RUNS);
    expect(run.traces.filter(({ outcome }) => outcome === "skipped").length).toBe(60 - MOST_RUNS);
  }
});

test("6. two rules that start each other are stopped after eight runs, and it is said", () => {
  const site = new RuleSiteInTime();
  const rules = [true, false].map((value) =>
    new RuleRun(`when: { variable: x, equals: ${value} }\nthen: { set: x, to: ${!value} }`, site, `r${value}`).start(),
  );
  site.variables.set("x", { value: true, at: site.now, causes: [] });
  // A change is seen by all rules that read it, also by the one that made it.
  const round = () => rules.flatMap((rule) => [rule, rule]).map((rule) => rule.step());
  for (let n = 0; n < 20; n += 1) round();
  const effects = rules.flatMap((rule) => rule.effects);
  expect(effects.filter(({ kind }) => kind === "set")).toHaveLength(8);
  expect(effects.filter((effect) => effect.kind === "report" && effect.problem === "loop")).toHaveLength(1);
  // What a person does afterwards is no loop.
  site.now += ms("2m");
  site.variables.set("x", { value: false, at: site.now, causes: [] });
  round();
  expect(rules.flatMap((rule) => rule.effects).filter(({ kind }) => kind === "set").length).toBeGreaterThan(8);
});

test("6. a target gets a limited number of commands in a minute", () => {
  const run = new RuleRun("when: { every: 1s }\nthen: { execute: start, device: pump }").start().pass("59s");
  expect(run.effects.filter(({ kind }) => kind === "execute")).toHaveLength(MOST_PER_MINUTE);
  expect(run.effects.filter(({ kind }) => kind === "report").length).toBeGreaterThan(0);
  run.pass("10m");
  expect(run.effects.filter(({ kind }) => kind === "execute").length).toBeLessThanOrEqual(MOST_PER_MINUTE * 12);
});

test("7. hysteresis and minimum times: a value that wavers does not switch", () => {
  const run = new RuleRun(`
when: { device: meter, attribute: power, below: -1500, hysteresis: 500 }
min_on: 5m
min_off: 10m
then: [{ claim: power, device: charger, target: 4000 }, { notify: on }]
else: { notify: off }
`).start();
  const notes = () => run.done().filter((line) => line.includes("notify"));
  run.set("meter.power", -1600).pass("1m").set("meter.power", -1001);
  expect(notes()).toEqual(["0s notify on"]);
  // It is off, but not for five minutes yet.
  run.pass("1m").set("meter.power", -900).pass("10m");
  expect(notes()).toEqual(["300s notify off"]);
  run.set("meter.power", -1400);
  expect(notes()).toEqual([]);
  run.set("meter.power", -1501).pass("10m");
  expect(notes()).toEqual(["900s notify on"]);
});

test("7. minimum times go on over a restart", () => {
  const text =
    "when: { device: meter, attribute: power, above: 10 }\nmin_on: 10m\nmin_off: 10m\nthen: { notify: on }\nelse: { notify: off }";
  const run = new RuleRun(text).start().set("meter.power", 12).pass("4m").set("meter.power", 5);
  run.restart("1m").pass("20m");
  expect(run.done()).toEqual(["0s notify on", "600s notify off"]);
  run.set("meter.power", 12).pass("1s").set("meter.power", 5).pass("5m");
  run.restart("1m").set("meter.power", 12).pass("1m");
  expect(run.done()).toEqual(["1500s notify on"]);
});

const ZONES = [
  // Zone, the night before, a time that does not exist, when it runs; the same for one that exists twice.
  [
    "Europe/Berlin",
    "2026-03-28T12:00Z",
    "02:30",
    "2026-03-29T01:00Z",
    "2026-10-24T12:00Z",
    "02:30",
    "2026-10-25T00:30Z",
  ],
  [
    "America/New_York",
    "2026-03-07T18:00Z",
    "02:30",
    "2026-03-08T07:00Z",
    "2026-10-31T18:00Z",
    "01:30",
    "2026-11-01T05:30Z",
  ],
  [
    "Australia/Lord_Howe",
    "2026-10-03T02:00Z",
    "02:15",
    "2026-10-03T15:30Z",
    "2026-04-04T02:00Z",
    "01:45",
    "2026-04-04T14:45Z",
  ],
  ["Asia/Beirut", "2026-03-28T12:00Z", "00:30", "2026-03-28T22:00Z", "2026-10-24T12:00Z", "23:30", "2026-10-24T20:30Z"],
  [
    "America/Santiago",
    "2026-09-05T15:00Z",
    "00:30",
    "2026-09-06T04:00Z",
    "2026-04-04T15:00Z",
    "23:30",
    "2026-04-05T02:30Z",
  ],
  [
    "Pacific/Auckland",
    "2026-09-26T00:00Z",
    "02:30",
    "2026-09-26T14:00Z",
    "2026-04-04T00:00Z",
    "02:30",
    "2026-04-04T13:30Z",
  ],
] as const;

test.each(ZONES)("8. both clock changes in %s: no time is lost, none runs twice", (zone, ...times) => {
  const [spring, skipped, springAt, autumn, twice, autumnAt] = times;
  for (const [start, time, at] of [
    [spring, skipped, springAt],
    [autumn, twice, autumnAt],
  ] as const) {
    const [hour, minute] = time.split(":");
    for (const when of [`{ at: "${time}" }`, `{ cron: "${Number(minute)} ${Number(hour)} * * *" }`]) {
      const site = new RuleSiteInTime(start);
      site.timezone = zone;
      const run = new RuleRun(`when: ${when}\nthen: { notify: now }`, site).start().pass("26h");
      const ran = run.effects.map(({ key }) => Number(/@(\d+)/.exec(key)?.[1]));
      expect([zone, when, ...ran.map((ms) => new Date(ms).toISOString())].slice(0, 3)).toEqual([
        zone,
        when,
        new Date(Date.parse(at)).toISOString(),
      ]);
      // A day later comes the next one, not an hour later.
      for (const [n, ms] of ran.entries()) expect(ms - (ran[n - 1] ?? 0)).toBeGreaterThan(22 * 3_600_000);
    }
    const site = new RuleSiteInTime(start);
    site.timezone = zone;
    const every = new RuleRun("when: { every: 30m }\nthen: { notify: now }", site).start().pass("26h");
    expect(every.effects).toHaveLength(52);
  }
});

test("8. a window of time over a clock change begins and ends by the clock", () => {
  const site = new RuleSiteInTime("2026-03-28T12:00Z");
  site.timezone = "Europe/Berlin";
  const run = new RuleRun("when: { from: '22:00', to: '06:00' }\nthen: { notify: on }\nelse: { notify: off }", site);
  run.start().pass("36h");
  // 22:00 CET is nine hours later, and 06:00 CEST seven hours after it.
  expect(run.done()).toEqual([`${9 * 3600}s notify on`, `${16 * 3600}s notify off`, `${32 * 3600}s notify on`]);
});

test("8. a clock that is set back repeats nothing and prolongs nothing", () => {
  const run = new RuleRun(
    "when: { at: '01:00' }\nthen: [{ notify: first }, { wait: 10m }, { notify: second }]",
  ).start();
  run.pass("1h5m");
  run.site.now -= ms("1h");
  run.step();
  expect(run.pass("10m").done()).toEqual(["3600s notify first", "900s notify second"]);
  expect(run.pass("2h").done()).toEqual([]);
});

test("9. an edit of one rule leaves another one as it is, in the middle of its wait", () => {
  const site = new RuleSiteInTime();
  const waits = new RuleRun(
    "when: { every: 1h }\nthen: [{ notify: first }, { wait: 30m }, { notify: second }]",
    site,
    "a",
  );
  const other = new RuleRun(PEAK, site, "b").start();
  waits.start().pass("1h5m");
  const { state } = waits;
  other.edit(PEAK.replace("10m", "1m"));
  other.edit(PEAK.replace("above", "below"));
  expect(waits.state).toBe(state);
  expect(waits.pass("25m").done()).toEqual(["3600s notify first", "5400s notify second"]);
});

test("9. while a rule is on, an edit changes what it claims at once, and repeats no message", () => {
  const run = new RuleRun(CHARGE).start().set("meter.power", -2000).pass("1m");
  run.done();
  run.edit(CHARGE.replace("4000", "5000"));
  expect(run.done()).toEqual(["60s release charger.power", "60s claim charger.power=5000"]);
  run.edit("when: { every: 1h }\nthen: { notify: now }");
  expect(run.done()).toEqual(["60s release charger.power"]);
});

test("10. a run leaves a trace: trigger, values with ages, each condition's outcome, actions and their results", () => {
  const run = new RuleRun(`
when: { device: meter, attribute: power, above: 10 }
if:
  - { device: battery, attribute: soc, below: 50 }
  - { variable: away, equals: false }
then: [{ execute: start, device: pump }, { wait: 1m }, { notify: It runs. }]
`);
  run.site.variables.set("away", { value: false, at: run.site.now, causes: [] });
  run.start().set("battery.soc", 20).pass("30s").set("meter.power", 12).pass("2m");
  const [key = ""] = run.effects.map((effect) => effect.key);
  const traces = recordTraces(run.traces, [{ kind: "result", key, result: "SUCCESS" }]);
  expect(traces).toMatchObject([
    {
      trigger: "/when",
      outcome: "ran",
      branch: "then",
      why: "it became true",
      at: run.begun + 30_000,
      endedAt: run.begun + 90_000,
      evidence: [
        { place: "/when", subject: "meter.power", value: 12, ageMs: 0, truth: true },
        { place: "/if/0", subject: "battery.soc", value: 20, ageMs: 30_000, truth: true },
        { place: "/if/1", subject: "variable away", value: false, ageMs: undefined, truth: true },
      ],
      steps: [
        { place: "/then/0", what: "execute start of pump", result: "SUCCESS" },
        { place: "/then/1" },
        { place: "/then/2", what: "notify: It runs.", at: run.begun + 90_000, result: undefined },
      ],
    },
  ]);
});

test("10. the last 100 runs are kept", () => {
  const run = new RuleRun("when: { every: 1h }\nthen: { notify: now }").start().pass("120h");
  expect(run.traces).toHaveLength(MOST_TRACES);
  expect(run.traces.at(-1)?.at).toBe(run.begun + ms("120h"));
});

test("a time that was missed is skipped and shown, or run late, as the rule says", () => {
  const text = "when: { at: '01:00' }\nthen: { notify: now }";
  const run = new RuleRun(text).start().pass("30m").restart("2h");
  expect(run.done()).toEqual([]);
  expect(run.traces).toMatchObject([{ outcome: "skipped", why: "the time was missed" }]);
  const late = new RuleRun(`${text}\nmissed: run_late\nlate: 3h`).start().pass("30m").restart("2h");
  expect(late.done()).toEqual(["9000s notify now"]);
  expect(late.effects[0]?.key).toContain(`@${late.begun + ms("1h")}`);
  expect(new RuleRun(`${text}\nmissed: run_late\nlate: 1h`).start().pass("30m").restart("2h").done()).toEqual([]);
});

test("a claim with hold is held for exactly so long", () => {
  const run = new RuleRun(`
when: { at: "01:00" }
then: { claim: power, device: boiler, target: 2000, hold: 30m, lease: 60s }
`).start();
  run.pass("1h10m").restart("1m").pass("2h");
  expect(run.done()).toEqual(["3600s claim boiler.power=2000", "5400s release boiler.power"]);
  const leases = run.effects.flatMap((effect) => (effect.kind === "claim" ? [effect.leaseUntil] : []));
  expect(Math.max(...leases)).toBe(run.begun + ms("1h30m"));
});

test("the end of a command starts a rule once", () => {
  const run = new RuleRun("when: { device: pump, command: start, ended: error }\nthen: { notify: It failed. }").start();
  const ended = { kind: "ended", device: ["id-1", "pump"], command: "start", causes: [] } as const;
  run.step({ ...ended, executionId: "e1", isSuccess: true });
  run.step({ ...ended, executionId: "e2", isSuccess: false });
  run.step({ ...ended, executionId: "e3", isSuccess: false, device: ["other"] });
  run.step({ ...ended, executionId: "e4", isSuccess: false, command: "stop" });
  expect(run.done()).toEqual(["0s notify It failed."]);
  expect(run.effects[0]?.key).toContain("e2");
});

test("alerts, connections, controls and the sun", () => {
  const site = new RuleSiteInTime("2024-06-21T00:00Z");
  site.location = { latitude: 51.5074, longitude: -0.1278 };
  const run = (when: string) =>
    new RuleRun(`when: ${when}\nthen: { notify: on }\nelse: { notify: off }`, site, when).start();
  const alert = run("{ device: pump, alert: dry }");
  const any = run("{ device: pump, alert: any }");
  const offline = run("{ device: pump, is: offline }");
  const held = run("{ device: pump, control: speed, held_by: person }");
  const fast = run("{ device: pump, control: speed, above: 5 }");
  const night = run("{ from: sunset-30m, to: sunrise }");
  site.active.set("pump", ["hot"]);
  site.online.set("pump", false);
  site.controls.set("pump.speed", { value: 9, holder: "person", at: site.now, causes: [] });
  for (const rule of [alert, any, offline, held, fast]) rule.step();
  expect([alert, any, offline, held, fast].map((rule) => rule.done().join())).toEqual([
    "",
    ...Array(4).fill("0s notify on"),
  ]);
  night.pass("23h");
  const minutes = night.done().map((line) => Math.round(Number.parseFloat(line) / 60));
  // 04:43 and 20:51 by the clock in London, which is an hour ahead.
  expect(minutes[0]).toBe(0);
  expect(Math.abs((minutes[1] ?? 0) - (3 * 60 + 43))).toBeLessThanOrEqual(2);
  expect(Math.abs((minutes[2] ?? 0) - (19 * 60 + 51))).toBeLessThanOrEqual(2);
});
