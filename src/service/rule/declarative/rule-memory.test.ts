import { expect, test } from "vitest";
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import { NEW_STATE, type RuleState } from "#core/rule/rule-state.ts";
import { readMemory, renderMemory } from "./rule-memory.ts";

const storedAs = (text: string | undefined) => ({ memory: async () => text });

const STATE: RuleState = { ...NEW_STATE, seenAt: 5, isOn: true, since: 4 };
const EFFECT: RuleEffect = {
  key: "r/when@4/then/0",
  causes: [],
  kind: "report",
  problem: "loop",
  message: "25 °C, 汉",
};

test("state and effects come back as they were", async () => {
  expect(await readMemory(storedAs(undefined), "r")).toEqual({ state: NEW_STATE, wanted: [], problems: [] });
  const wanted = [{ at: 5, effect: EFFECT }];
  const found = await readMemory(storedAs(renderMemory({ state: STATE, wanted })), "r");
  expect(found).toEqual({ state: STATE, wanted, problems: [] });
});

test.each([
  ["no JSON", "{"],
  ["another form", "[]"],
  ["a state that is none", '{"state": 5, "wanted": [{"at": 1, "effect": {"key": "x", "kind": "execute"}}]}'],
])("where %s is stored it begins carefully, and does nothing that was wanted before", async (_, text) => {
  const { state, wanted, problems } = await readMemory(storedAs(text), "r");
  expect([state.isCareful, wanted, problems.length > 0]).toEqual([true, [], true]);
});

test.each([
  "5",
  "null",
  '{"at": "now"}',
  '{"at": 1}',
  '{"at": 1, "effect": {"key": 1, "kind": "set"}}',
  '{"at": 1, "effect": {"key": "x", "kind": "explode"}}',
])("the stored effect %s is left out", async (text) => {
  const stored = JSON.parse(renderMemory({ state: STATE, wanted: [{ at: 5, effect: EFFECT }] }));
  stored.wanted.push(JSON.parse(text));
  const found = await readMemory(storedAs(JSON.stringify(stored)), "r");
  expect([found.problems, found.wanted]).toEqual([[], [{ at: 5, effect: EFFECT }]]);
});
