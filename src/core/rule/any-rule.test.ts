// Random rules of every kind under restarts, edits, jumps of the clock and damage. Nobody says what exactly they should do, but some
// things must never happen.
import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/random.ts";
import { ms, RuleRun, RuleSiteInTime } from "../../../test/support/rule-run.ts";
import { parseRuleState } from "./parse-rule-state.ts";
import { LONGEST_CAUSES, MOST_PER_MINUTE, MOST_RUNS, MOST_TRACES } from "./rule.ts";
import { renderRuleState } from "./rule-state.ts";

type Random = () => number;
const pick = <Item>(random: Random, items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
};
const upTo = (random: Random, most: number) => Math.floor(random() * (most + 1));

function condition(random: Random, depth = 0): string {
  const leaf = [
    () => `{ device: meter, attribute: power, above: ${upTo(random, 10)}, hysteresis: ${upTo(random, 3)} }`,
    () =>
      `{ device: meter, attribute: power, between: [2, ${2 + upTo(random, 8)}], max_age: ${1 + upTo(random, 90)}s }`,
    () => `{ device: meter, attribute: power, above: { variable: x, times: 2, plus: 1 } }`,
    () => `{ device: meter, attribute: power, stale_for: ${1 + upTo(random, 60)}s }`,
    () => `{ variable: x, ${pick(random, ["equals: 1", "differs: [1, 2]", "below: 3"])} }`,
    () => `{ device: pump, is: ${pick(random, ["online", "offline"])} }`,
    () => `{ device: pump, alert: ${pick(random, ["any", "dry"])} }`,
    () => `{ from: "0${upTo(random, 2)}:15", to: ${pick(random, ["sunrise", '"02:45"', "sunset-1h"])} }`,
  ];
  if (depth > 2 || random() < 0.6) return pick(random, leaf)();
  const inner = () => condition(random, depth + 1);
  return pick(random, [
    () => `{ not: ${inner()} }`,
    () => `{ all: [${inner()}, ${inner()}] }`,
    () => `{ any: [${inner()}, ${inner()}] }`,
  ])();
}

function action(random: Random, needsHold: boolean): string {
  const hold = needsHold || random() < 0.3 ? `, hold: ${1 + upTo(random, 120)}s` : "";
  return pick(random, [
    () => `{ notify: n${upTo(random, 3)} }`,
    () => `{ execute: start, device: pump }`,
    () => `{ set: x, to: ${upTo(random, 3)} }`,
    () => `{ wait: ${1 + upTo(random, 90)}s }`,
    () =>
      `{ claim: power, device: charger, ${pick(random, ["target", "max"])}: ${upTo(random, 5)}${hold}, lease: ${5 + upTo(random, 60)}s }`,
    () => `{ claim: power, device: boiler, target: { device: meter, attribute: power }${hold} }`,
  ])();
}

function ruleText(random: Random): string {
  const hasLevel = random() < 0.7;
  const hasMoments = !hasLevel || random() < 0.4;
  const moments = [
    `{ every: ${1 + upTo(random, 300)}s }`,
    `{ cron: "*/${1 + upTo(random, 9)} * * * *" }`,
    `{ at: "0${upTo(random, 3)}:${10 + upTo(random, 49)}" }`,
    `{ at: sunrise-${upTo(random, 90)}m }`,
    "{ device: pump, command: start, ended: any }",
  ];
  const when = [
    ...(hasLevel ? [condition(random)] : []),
    ...(hasMoments ? [pick(random, moments), pick(random, moments)] : []),
  ];
  const list = (needsHold: boolean) =>
    Array.from({ length: 1 + upTo(random, 4) }, () => action(random, needsHold)).join(", ");
  const times = ["for", "min_on", "min_off"].filter(() => random() < 0.4);
  return [
    `mode: ${pick(random, ["single", "restart", "queued", "parallel"])}`,
    `when: [${when.join(", ")}]`,
    ...(hasLevel ? times.map((key) => `${key}: ${upTo(random, 120)}s`) : []),
    ...(random() < 0.5 ? [`if: ${condition(random)}`] : []),
    `then: [${list(hasMoments)}]`,
    ...(random() < 0.5 ? [`else: [${list(true)}]`] : []),
  ].join("\n");
}

function change(random: Random, run: RuleRun): void {
  const { site } = run;
  pick(random, [
    () =>
      site.measure("meter.power", pick<unknown>(random, [upTo(random, 10), upTo(random, 10), null, "?", Number.NaN])),
    () => site.variables.set("x", { value: upTo(random, 3), at: site.now, causes: [] }),
    () => site.online.set("pump", random() < 0.5),
    () => site.active.set("pump", random() < 0.5 ? [] : ["dry"]),
    () => {
      const ended = { executionId: `${site.now}`, device: ["pump"], command: "start", isSuccess: random() < 0.5 };
      run.step({ kind: "ended", ...ended, causes: run.effects.at(-1)?.causes.slice(0, 8) ?? [] });
    },
    () => run.restart(`${upTo(random, 200)}s`),
    () => run.edit(ruleText(random)),
    () => {
      site.now += (random() - 0.2) * ms(pick(random, ["10s", "1h", "3d"]));
      site.now = Math.round(site.now);
    },
  ])();
}

test("nothing is done twice, nothing goes on without an end, and every state can be stored", () => {
  for (let seed = 1; seed <= (process.env["BUSBAR_LONG"] === "1" ? 300 : 10); seed += 1) {
    const random = randomFrom(seed);
    const site = new RuleSiteInTime("2026-06-01T00:00Z");
    site.location = { latitude: 52, longitude: 13 };
    site.usualMs = pick(random, [1, 1_000, 3_600_000]);
    const run = new RuleRun(ruleText(random), site).start();
    let wasSetBack = false;
    for (let n = 0; n < 60; n += 1) {
      const before = site.now;
      change(random, run);
      wasSetBack ||= site.now < before;
      run.step();
      run.pass(`${upTo(random, 100)}s`);
      const { state } = run;
      expect(parseRuleState(renderRuleState(state))).toEqual({ state, problems: [] });
      expect(state.runs.length + state.queue.length).toBeLessThanOrEqual(MOST_RUNS + 1);
      for (const { dueAt } of state.runs) expect((dueAt ?? 0) - site.now).toBeLessThanOrEqual(90_000);
      expect(state.memory.length).toBeLessThan(20);
      if (run.nextDue !== undefined) expect([seed, run.nextDue > site.now]).toEqual([seed, true]);
    }
    const done = run.effects.flatMap((effect) =>
      effect.kind === "claim" || effect.kind === "release" || effect.kind === "report" ? [] : [effect.key],
    );
    // A time that comes again after the clock was set back has the same key again.
    if (!wasSetBack) expect([seed, done.length - new Set(done).size]).toEqual([seed, 0]);
    for (const { causes } of run.effects) expect(causes.length).toBeLessThanOrEqual(LONGEST_CAUSES + 1);
    expect(run.traces.length).toBeLessThanOrEqual(MOST_TRACES);
    expect(run.state.sent.every(([, times]) => times.length <= MOST_PER_MINUTE)).toBe(true);
  }
});
