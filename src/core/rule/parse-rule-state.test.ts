import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/random.ts";
import { RuleRun } from "../../../test/support/rule-run.ts";
import { parseRuleState } from "./parse-rule-state.ts";
import { renderRuleState } from "./rule-state.ts";

const TEXT = `
mode: parallel
when: [{ every: 1m }, { device: meter, attribute: power, above: 10, hysteresis: 2 }]
then: [{ claim: power, device: charger, max: 0, hold: 1h }, { execute: start, device: pump }, { wait: 5m }, { notify: done }]
else: [{ wait: 1m }, { notify: off }]
`;

const running = () => new RuleRun(TEXT).start().set("meter.power", 12).pass("3m");

test("a state is the same after it was stored", () => {
  const { state } = running();
  expect(state.runs.length).toBeGreaterThan(1);
  expect(parseRuleState(renderRuleState(state))).toEqual({ state, problems: [] });
});

test.each(["", "null", "[]", "{}", "{", '{"version":2}', '{"__proto__":{"version":1}}', "x".repeat(2_000_000)])(
  "a damaged state (%#) leads to a careful start: claims, and no message or command again",
  (text) => {
    const run = running();
    const { state, problems } = parseRuleState(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(state.isCareful).toBe(true);
    run.done();
    run.state = state;
    run.effects = [];
    run.start();
    expect(run.effects.map(({ kind }) => kind)).toEqual(["claim"]);
    // What happens afterwards is new.
    run.set("meter.power", 5).set("meter.power", 12);
    expect(run.effects.some(({ kind }) => kind === "execute")).toBe(true);
  },
);

test("any damage is noticed or harmless: a step never throws, and asks for no step in the past", () => {
  const { state } = running();
  const text = renderRuleState(state);
  const parts: readonly unknown[] = [null, -1, 1e300, "x", [], {}, true, [[]], [null], { id: 1 }];
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = randomFrom(seed);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
    const damaged =
      random() < 0.3
        ? text.slice(0, random() * text.length) + pick(["", "9", '"', "}", "null"]) + text.slice(random() * text.length)
        : JSON.stringify(damage(JSON.parse(text), () => pick(parts), random));
    const run = running();
    run.state = parseRuleState(damaged).state;
    run.start();
    run.pass("10m");
    if (run.nextDue !== undefined) expect([seed, run.nextDue > run.site.now - 600_000]).toEqual([seed, true]);
  }
});

/** One value somewhere is another one. */
function damage(value: unknown, other: () => unknown, random: () => number): unknown {
  if (typeof value !== "object" || value === null || random() < 0.1) return other();
  const keys = Object.keys(value);
  const key = keys[Math.floor(random() * keys.length)];
  if (key === undefined) return other();
  const copy = Object.assign(Array.isArray(value) ? [] : {}, value) as Record<string, unknown>;
  copy[key] = damage(copy[key], other, random);
  return copy;
}
