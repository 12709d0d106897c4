import { expect, test } from "vitest";
import { percentOf, reachedBy, splitStages, stagesOf, turnsOf } from "./rollout-view.ts";

test.each([
  [1, "RUNNING", ["1 current", "4 waiting", "15 waiting"]],
  [2, "HALTED", ["1 done", "4 current", "15 waiting"]],
  [3, "DONE", ["1 done", "4 done", "15 done"]],
] as const)("in stage %i of a roll-out that is %s, its stages are %j", (stage, state, expected) => {
  const stages = stagesOf({ stage, state, stages: [1, 5, 20] });
  expect(stages.map((one) => `${one.devices} ${one.state}`)).toEqual(expected);
});

test("only a roll-out that has not ended can be paused, resumed or aborted", () => {
  expect(
    (["RUNNING", "PAUSED", "HALTED", "DONE", "ABORTED"] as const).map((state) => turnsOf(state).join(" ")),
  ).toEqual(["pause abort", "resume abort", "resume abort", "", ""]);
});

test("the progress counts devices that are through, well or not", () => {
  const none = { total: 0, waiting: 0, away: 0, assigning: 0, watched: 0, done: 0, failed: 0, skipped: 0 };
  expect(percentOf({ devices: { ...none, total: 20, done: 3, failed: 1, skipped: 1, waiting: 15 } })).toBe(25);
  expect(percentOf({ devices: none })).toBe(100);
});

test("gateways, devices of other sites, and those that have the blueprint or came from another one are not reached", () => {
  const device = (id: string, more: object = {}) => ({ id, type: "LUA", site_id: "s1", blueprint_id: "old", ...more });
  const devices = [
    device("a"),
    device("b", { site_id: "s2" }),
    device("c", { blueprint_id: "new" }),
    device("d", { type: "GATEWAY" }),
    device("e", { blueprint_id: "00000000-0000-7000-8000-000000000001" }),
  ];
  const reached = (siteId?: string, fromId?: string) =>
    reachedBy({ blueprintId: "new", siteId, fromId }, devices).join(" ");
  expect([reached(), reached("s1"), reached("s1", "old"), reached(undefined, "old")]).toEqual([
    "a b e",
    "a e",
    "a",
    "a b",
  ]);
});

test("stages are parted by commas or blanks", () => {
  expect(splitStages(" 1, 10% 100%,")).toEqual(["1", "10%", "100%"]);
});
