import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { beginDevice, type DeviceFacts, judgeDevice, judgeRollout, noDevices, readStages } from "./rollout.ts";

const WELL: DeviceFacts = {
  exists: true,
  hasBlueprint: true,
  isAway: false,
  connectivity: "ONLINE",
  unknownMs: 0,
  alert: undefined,
  error: undefined,
};
const limits = { watchMs: 100, timeoutMs: 1_000 };

test.each<readonly ["ASSIGNING" | "WATCHED", number, Partial<DeviceFacts>, string | undefined]>([
  ["ASSIGNING", 0, { hasBlueprint: false }, undefined],
  ["ASSIGNING", 1_001, { hasBlueprint: false }, "FAILED it did not get the blueprint in time"],
  ["ASSIGNING", 1_001, { hasBlueprint: false, isAway: true }, "WAITING"],
  ["ASSIGNING", 5_000, {}, "WATCHED"],
  ["ASSIGNING", 0, { exists: false }, "SKIPPED the device was deleted"],
  ["WATCHED", 99, {}, undefined],
  ["WATCHED", 100, {}, "DONE"],
  ["WATCHED", 99, { connectivity: "OFFLINE" }, undefined],
  ["WATCHED", 100, { connectivity: "OFFLINE" }, "FAILED it is offline"],
  ["WATCHED", 9_999, { connectivity: "UNKNOWN", isAway: true }, undefined],
  ["WATCHED", 9_999, { isAway: true }, undefined],
  ["WATCHED", 1, { isAway: true, alert: "hot" }, "FAILED alert hot"],
  ["WATCHED", 9_999, { connectivity: "UNKNOWN", unknownMs: 1_000 }, undefined],
  ["WATCHED", 9_999, { connectivity: "UNKNOWN", unknownMs: 1_001 }, "FAILED nothing was heard of it"],
  ["WATCHED", 1, { alert: "hot" }, "FAILED alert hot"],
  ["WATCHED", 1, { error: "nil value" }, "FAILED error in its log: nil value"],
  ["WATCHED", 1, { hasBlueprint: false }, "FAILED another blueprint was assigned in the meantime"],
])("a device that is %s for %d ms with %j becomes %s", (state, lasted, facts, expected) => {
  const device = { state, since: instant(1_000), wasOnline: true };
  const verdict = judgeDevice(device, { ...WELL, ...facts }, { ...limits, now: 1_000 + lasted });
  expect(verdict && [verdict.state, verdict.reason].filter(Boolean).join(" ")).toBe(expected);
});

test("a device that was offline before is not judged by that", () => {
  const device = { state: "WATCHED", since: instant(0), wasOnline: false } as const;
  for (const connectivity of ["OFFLINE", "UNKNOWN"] as const) {
    expect(judgeDevice(device, { ...WELL, connectivity }, { ...limits, now: 100 })?.state).toBe("DONE");
  }
});

test.each([
  [{ blueprintId: "old" }, "ASSIGNING"],
  [{ blueprintId: "new" }, "WATCHED"],
  [{ blueprintId: "another" }, "FAILED another blueprint was assigned in the meantime"],
  [{ blueprintId: undefined }, "FAILED another blueprint was assigned in the meantime"],
  [undefined, "SKIPPED the device was deleted"],
])("a device that had the old blueprint and now has %j begins as %s", (found, expected) => {
  const { state, reason } = beginDevice({ formerBlueprintId: "old" }, found, "new");
  expect([state, reason].filter(Boolean).join(" ")).toBe(expected);
});

test.each([
  [{ WAITING: 1 }, 0, "go on"],
  [{ WATCHED: 1, FAILED: 1 }, 1, "go on"],
  [{ WATCHED: 1, FAILED: 2 }, 2, "halt"],
  [{ DONE: 3, SKIPPED: 1 }, 1, "next stage"],
])("a stage with %j, and %d failed devices in all, makes the roll-out %s", (counts, failed, expected) => {
  const rollout = { stage: 0, stages: [4, 9], maxFailures: 1, tolerated: 0 };
  expect(judgeRollout(rollout, { ...noDevices(), ...counts }, failed)).toBe(expected);
});

test("failures that were tolerated do not halt it again, and the last stage ends it", () => {
  const rollout = { stage: 1, stages: [4, 9], maxFailures: 0, tolerated: 2 };
  expect(judgeRollout(rollout, { ...noDevices(), DONE: 3, FAILED: 2 }, 2)).toBe("end");
  expect(judgeRollout(rollout, { ...noDevices(), DONE: 3, FAILED: 3 }, 3)).toBe("halt");
});

test.each([
  ["1 10% 100%", 50, [1, 5, 50]],
  ["1 10% 100%", 3, [1, 3]],
  ["5", 50, [5, 50]],
  ["10% 2", 50, "each stage has at least as many devices as the one before"],
  ["0", 50, /a stage is a number/],
  ["101%", 50, /a stage is a number/],
  ["x", 50, /not "x"/],
])("the stages %s of %d devices end with %j", (stages, total, expected) => {
  const read = readStages(stages.split(" "), total);
  if ("ends" in read) expect(read.ends).toEqual(expected);
  else expect(read.problem).toMatch(expected as string);
});
