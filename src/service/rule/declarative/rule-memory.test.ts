import { expect, test } from "vitest";
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import { NEW_STATE, type RuleState } from "#core/rule/rule-state.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import { readMemory, writeMemory, writeTraces } from "./rule-memory.ts";

/** As the store keeps it: byte strings. */
function createStorage() {
  const entries = new Map<string, string>();
  return {
    entries,
    storage: async () => entries,
    async putStored(_: string, { key, value }: { readonly key: string; readonly value: string }) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: every byte is allowed.
      expect(value).toMatch(/^[\x00-\xff]*$/);
      entries.set(key, value);
      return "stored" as const;
    },
    async removeStored(_: string, key: string) {
      entries.delete(key);
    },
  };
}

const STATE: RuleState = { ...NEW_STATE, seenAt: 5, isOn: true, since: 4 };
const EFFECT: RuleEffect = {
  key: "r/when@4/then/0",
  causes: [],
  kind: "report",
  problem: "loop",
  message: "25 °C, 汉",
};
const trace = (id: string, at: number): RuleTrace => ({
  ...{ id, at, trigger: "/when", outcome: "ran", why: "it became true", branch: "then", causes: [] },
  ...{ evidence: [], steps: [], endedAt: undefined, ended: undefined },
});

test("state, effects and traces come back as they were", async () => {
  const rules = createStorage();
  expect(await readMemory(rules, "r")).toEqual({ state: NEW_STATE, wanted: [], traces: [], problems: [] });
  await writeMemory(rules, "r", { state: STATE, wanted: [{ at: 5, effect: EFFECT }], traces: [trace("d", 4)] });
  await writeTraces(rules, "r", { changed: [trace("b", 2), trace("a", 1)], dropped: [] });
  await writeTraces(rules, "r", { changed: [trace("c", 3)], dropped: [trace("a", 1)] });
  const found = await readMemory(rules, "r");
  expect(found).toMatchObject({ state: STATE, wanted: [{ at: 5, effect: EFFECT }], problems: [] });
  expect(found.traces.map(({ id }) => id)).toEqual(["b", "c", "d"]);
});

test.each([
  ["no JSON", "{"],
  ["another form", "[]"],
  ["a state that is none", '{"state": 5, "wanted": [{"at": 1, "effect": {"key": "x", "kind": "execute"}}]}'],
])("where %s is stored it begins carefully, and does nothing that was wanted before", async (_, text) => {
  const rules = createStorage();
  await writeMemory(rules, "r", { state: STATE, wanted: [], traces: [] });
  for (const key of rules.entries.keys()) rules.entries.set(key, text);
  const { state, wanted, problems } = await readMemory(rules, "r");
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
  const rules = createStorage();
  await writeMemory(rules, "r", { state: STATE, wanted: [{ at: 5, effect: EFFECT }], traces: [] });
  for (const [key, value] of rules.entries) {
    const stored = JSON.parse(Buffer.from(value, "latin1").toString("utf8"));
    stored.wanted.push(JSON.parse(text));
    rules.entries.set(key, Buffer.from(JSON.stringify(stored)).toString("latin1"));
  }
  const found = await readMemory(rules, "r");
  expect([found.problems, found.wanted]).toEqual([[], [{ at: 5, effect: EFFECT }]]);
});
