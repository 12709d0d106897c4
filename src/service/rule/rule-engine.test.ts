import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { createBackground } from "#service/background.ts";
import { oneNode } from "#service/ports/nodes.ts";
import type { RunnableRule } from "#service/ports/rule-store.ts";
import { createRuleEngine, type RuleEngineNeeds } from "./rule-engine.ts";

const ruleOf = (id: string, code = ""): RunnableRule =>
  ({ rule: { id, siteId: "s", script: { code, runtimeVersion: "V3" } }, timezone: "UTC" }) as unknown as RunnableRule;

/** Rules with `!` in their id cannot be started as long as the records are away. */
function makeEngine(...wanted: RunnableRule[]) {
  const world = { now: 1_000_000, isAway: true, started: [] as string[], turns: 0 };
  const needs = {
    ...{ now: () => instant(world.now), nodes: oneNode(), background: createBackground(() => {}) },
    ...{ ruleLog: { flush: async () => {} }, ruleNews: { publish: () => {}, forget: () => {} } },
    ...{ ruleReports: { store: async () => {} }, releaseAll: async () => {} },
    latestTraces: { flush: async () => {}, forget: () => {}, of: () => undefined, seen: () => {} },
    rules: { runnable: async () => wanted, lastTraces: async () => [], engineState: async () => "ACTIVE" },
  } as unknown as RuleEngineNeeds;
  const runner = {
    runtimeVersion: "V3" as const,
    check: async () => [],
    async start({ rule: { id } }: RunnableRule) {
      world.started.push(id);
      if (id.includes("!") && world.isAway) throw new Error("the records are away");
    },
    stop: async () => {},
    async turn() {
      world.turns += 1;
    },
    status: () => undefined,
    close: async () => {},
  };
  const engine = createRuleEngine(needs, [runner]);
  const turn = () => engine.turn().catch((error: unknown) => String(error));
  return { world, wanted, turn, changed: engine.changed };
}

test("a rule that could not be started is tried again, and keeps no other from being started", async () => {
  const { world, turn } = makeEngine(ruleOf("a"), ruleOf("b!"), ruleOf("c"));
  expect(await turn()).toContain("the records are away");
  expect(world.started).toEqual(["a", "b!", "c"]);
  world.now += 5_000;
  expect(await turn()).toBeUndefined();
  world.now += 5_000;
  world.isAway = false;
  await turn();
  expect(world.started).toEqual(["a", "b!", "c", "b!"]);
  world.now += 60_000;
  await turn();
  expect(world.started).toHaveLength(4);
});

test("a rule that was changed is started at once, also when it could not be started before", async () => {
  const { world, wanted, turn } = makeEngine(ruleOf("b!"));
  await turn();
  wanted[0] = ruleOf("b!", "other");
  world.isAway = false;
  await turn();
  expect(world.started).toEqual(["b!", "b!"]);
});

test("however many changes come during a turn, one more turn sees them all", async () => {
  const { world, wanted, turn, changed } = makeEngine(ruleOf("a"));
  const first = turn();
  for (let n = 0; n < 100; n++) {
    wanted.push(ruleOf(`b${n}`));
    changed();
  }
  await first;
  await turn();
  expect(world.turns).toBe(2);
  expect(world.started).toHaveLength(101);
});
