// Numbers that rules compute: sums, averages, changes and what is left of a quarter of an hour. Random ones are compared with a plain
// reading of every millisecond.
import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/random.ts";
import { ms, RuleRun, RuleSiteInTime, ruleOf } from "../../../test/support/rule-run.ts";
import { areaOf, averageOf, budgetOf, changeOf } from "./over-time.ts";
import { ruleReads } from "./rule-reads.ts";

const claimOf = (amount: string) => `
when: { device: meter, attribute: power, above: -100000 }
then: { claim: power, device: charger, target: ${amount} }
`;

function claimed(amount: string, given: (site: RuleSiteInTime) => void): number | string {
  const site = new RuleSiteInTime("2026-06-01T12:00:00Z");
  given(site);
  const run = new RuleRun(claimOf(amount), site).start();
  const effect = run.effects.find(({ kind }) => kind === "claim");
  return effect?.kind === "claim" ? effect.value : "unknown";
}

const METER = "{ device: meter, attribute: power }";
const measured = (site: RuleSiteInTime) => {
  site.measure("meter.power", -4000);
  site.measure("car.power", 1500);
};

test.each<readonly [string, number | string]>([
  [`{ sum: [${METER}, { device: car, attribute: power }] }`, -2500],
  [`{ sum: [${METER}, { device: car, attribute: power }, 500], times: -1 }`, 2000],
  [`{ sum: [{ device: meter, attribute: power, times: -1, max: 3000 }, 10], plus: 1 }`, 3011],
  // Rounded towards zero, and never out of its limits.
  ["{ device: meter, attribute: power, times: -1.09, step: 500 }", 4000],
  ["{ device: meter, attribute: power, times: 1.09, step: 500 }", -4000],
  ["{ device: car, attribute: power, step: 400, min: 1300 }", 1300],
  ["{ device: nobody, attribute: power, times: 5, min: 7, unknown: 3 }", 3],
  // What is unknown makes all of it unknown.
  [`{ sum: [${METER}, { device: nobody, attribute: power }] }`, "unknown"],
  [`{ sum: [${METER}, { variable: missing }] }`, "unknown"],
])("%s is %s", (amount, value) => {
  expect(claimed(amount, measured)).toBe(value);
});

test("an average is that of time, not of the number of values, and needs to know half of it", () => {
  const average = "{ device: meter, attribute: power, average: 1m, max_age: 30s }";
  const at = (seconds: number, value: unknown) => (site: RuleSiteInTime) =>
    site.measure("meter.power", value, site.now - seconds * 1000);
  const all =
    (...given: readonly ((site: RuleSiteInTime) => void)[]) =>
    (site: RuleSiteInTime) => {
      for (const one of given) one(site);
    };
  expect(claimed(average, all(at(60, 0), at(30, 100), at(1, 100)))).toBe(50);
  expect(claimed(average, all(at(70, 0), at(45, 100), at(44, 100), at(30, 100), at(15, 100), at(0, 100)))).toBe(
    Number((4500 / 60).toPrecision(15)),
  );
  expect(claimed(average, all(at(29, 100), at(1, 100)))).toBe("unknown");
  expect(claimed(average, all(at(60, 1), at(31, 1)))).toBe("unknown");
});

test("a change is known if somebody knows what it was at the beginning", () => {
  const change = "{ device: meter, attribute: power, change: 1h, max_age: 5m }";
  const given = (first: number) => (site: RuleSiteInTime) => {
    site.measure("meter.power", 100, site.now - first * 60_000);
    site.measure("meter.power", 140);
  };
  expect(claimed(change, given(62))).toBe(40);
  expect(claimed(change, given(50))).toBe("unknown");
});

test("the budget of a quarter of an hour is what is left for the rest of it, and unknown time counts as the limit", () => {
  const budget = "{ device: meter, attribute: power, budget: 15m, limit: 6000, max_age: 1m }";
  const site = (minutes: number, values: readonly number[]) => (one: RuleSiteInTime) => {
    one.now += ms(`${minutes}m`);
    values.forEach((value, minute) => {
      one.measure("meter.power", value, one.now - ms(`${values.length - 1 - minute}m`));
    });
  };
  expect(claimed(budget, site(0, [9000]))).toBe(6000);
  // Five minutes with 3 kW: 9 kW-quarters less are left for ten minutes.
  expect(claimed(budget, site(5, [3000, 3000, 3000, 3000, 3000, 3000]))).toBe(7500);
  expect(claimed(budget, site(5, [3000]))).toBe(6000);
  expect(
    claimed(
      budget,
      site(
        10,
        Array.from({ length: 11 }, () => 12_000),
      ),
    ),
  ).toBe(-6000);
});

test("a claim of `else` holds while the rule is off, also if it was never on, and never while nobody knows", () => {
  const text = `
when: { device: meter, attribute: power, above: 10, max_age: 30s }
for: 1m
then: { claim: power, device: charger, target: 5, lease: 30s }
else: { claim: power, device: charger, target: 0, lease: 30s }
`;
  const run = new RuleRun(text).start().pass("1m");
  expect(run.done()).toEqual([]);
  run.set("meter.power", 3);
  expect(run.done()).toEqual(["60s claim charger.power=0"]);
  const send = (value: number) => {
    for (let n = 0; n < 14; n += 1) run.set("meter.power", value).pass("5s");
  };
  send(12);
  // One claim takes the place of the other: nobody is told the fallback in between.
  expect(run.done()).toEqual(["120s claim charger.power=5"]);
  expect(run.effects.filter(({ kind }) => kind === "release")).toEqual([]);
  send(3);
  expect(run.done()).toEqual(["130s claim charger.power=0"]);
  const before = run.effects.length;
  run.pass("10m");
  const leases = run.effects.slice(before).map((effect) => (effect.kind === "claim" ? effect.leaseUntil : 0));
  expect(Math.max(...leases, 0)).toBeLessThan(run.site.now - ms("8m"));
});

test("an edit that takes the claim out of `else` releases it, and one that brings it claims at once", () => {
  const text = (otherwise: string) => `
when: { device: meter, attribute: power, above: 10 }
then: { notify: on }
${otherwise}`;
  const run = new RuleRun(text("else: { claim: power, device: charger, target: 0 }")).start().set("meter.power", 3);
  expect(run.done()).toEqual(["0s claim charger.power=0"]);
  expect(run.restart("10s").done()).toEqual([]);
  run.edit(text("else: { notify: off }"));
  expect(run.done()).toEqual(["10s release charger.power"]);
  run.edit(text("else: [{ notify: off }, { claim: power, device: boiler, target: 1 }]"));
  // It is no message of now.
  expect(run.done()).toEqual(["10s claim boiler.power=1"]);
});

test("a message has values in it, and says so if one is unknown", () => {
  const text = `
when: { at: "12:05" }
then:
  notify: "{soc} % now, {sun} kWh from the sun, {soc}"
  values: { soc: { device: meter, attribute: power, times: 0.01 }, sun: { device: roof, attribute: energy } }
`;
  const run = new RuleRun(text, new RuleSiteInTime("2026-06-01T12:00:00Z"));
  run.site.measure("meter.power", 1234.5);
  run.start().pass("6m");
  expect(run.done()).toEqual(["300s notify 12.3 % now, (unknown) kWh from the sun, 12.3"]);
});

test("a condition compares a computed number, with hysteresis", () => {
  const text = `
when: { value: { sum: [${METER}, { device: car, attribute: power, times: -1 }] }, below: -1000, hysteresis: 500 }
then: { notify: on }
else: { notify: off }
`;
  const run = new RuleRun(text).start();
  run
    .set("car.power", 0)
    .set("meter.power", -900)
    .set("meter.power", -1100)
    .set("meter.power", -600)
    .set("car.power", 600);
  run.set("car.power", 0).set("meter.power", -500);
  expect(run.done().map((line) => line.split(" ").at(-1))).toEqual(["on", "off"]);
});

test("what a sum and a window need is among the reads of the rule", () => {
  const rule = ruleOf(`
when: { value: { sum: [{ device: a, attribute: x, average: 1m }, { sum: [{ variable: v }] }] }, above: { device: b, attribute: y, budget: 15m, limit: { variable: l } } }
then: { notify: "{z}", values: { z: { device: c, attribute: z, change: 1d } } }
`);
  const { attributes, windows, variables } = ruleReads(rule);
  expect(attributes.map(({ device }) => device)).toEqual(["a", "b", "c"]);
  expect(windows.map(({ device, ms: window }) => [device, window / 60_000])).toEqual([
    ["a", 1],
    ["b", 15],
    ["c", 1440],
  ]);
  expect(variables).toEqual(["v", "l"]);
});

/** Millisecond by millisecond, from the whole list. */
function plainly(
  samples: readonly { at: number; value: unknown }[],
  { from, to, holdMs }: { from: number; to: number; holdMs: number },
) {
  let [area, knownMs] = [0, 0];
  for (let now = from; now < to; now += 1) {
    const last = samples.findLast(({ at }) => at <= now);
    if (last === undefined || now - last.at >= holdMs || typeof last.value !== "number") continue;
    area += last.value;
    knownMs += 1;
  }
  return { area, knownMs };
}

test("random windows are as a plain reading says", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = randomFrom(seed);
    const upTo = (most: number) => Math.floor(random() * (most + 1));
    const times = [...new Set(Array.from({ length: upTo(12) }, () => upTo(300)))].sort((a, b) => a - b);
    const samples = times.map((at) => ({ at, value: random() < 0.1 ? null : upTo(20) - 10 }));
    const stretch = { from: upTo(150), to: 150 + upTo(150), holdMs: 1 + upTo(80) };
    const known = samples.filter(({ at }) => at <= stretch.to);
    const plain = plainly(known, stretch);
    expect([seed, areaOf(known, stretch)]).toEqual([seed, plain]);
    const isHalf = plain.knownMs > 0 && plain.knownMs * 2 >= stretch.to - stretch.from;
    expect(averageOf(known, stretch)).toEqual(isHalf ? plain.area / plain.knownMs : undefined);
    const change = changeOf(known, stretch);
    if (change !== undefined) expect(change).toBe(Number(known.at(-1)?.value) - Number(known[0]?.value));
    const [limit, everyMs] = [upTo(10), 120];
    const now = stretch.to;
    const begin = Math.floor(now / everyMs) * everyMs;
    const used = plainly(known, { from: begin, to: now, holdMs: stretch.holdMs });
    const spent = used.area + limit * (now - begin - used.knownMs);
    // All of the window together has the limit on average if the rest has the budget.
    const budget = budgetOf(known, { now, everyMs, limit, holdMs: stretch.holdMs });
    const leftMs = begin + everyMs - now;
    if (leftMs >= everyMs / 2) expect(spent + budget * leftMs).toBeCloseTo(limit * everyMs, 6);
    else expect(Math.abs(budget * leftMs)).toBeLessThanOrEqual(Math.abs(limit * everyMs - spent) + 1e-6);
  }
});
