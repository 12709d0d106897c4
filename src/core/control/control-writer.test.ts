import { expect, test } from "vitest";
import type { Control } from "./control.ts";
import { type ControlState, isIgnoring, NEVER_WRITTEN, planWrite, startedAnew, writeEnded } from "./control-writer.ts";

const CONTROL: Control = {
  id: "power",
  displayName: "Power",
  unit: "W",
  command: "set_power",
  argument: "power",
  argumentType: "float",
  toArgument: { factor: 1, offset: 0 },
  arguments: new Map(),
  reads: { attribute: "power", fromReading: { factor: 1, offset: 0 } },
  min: -100,
  max: 100,
  step: undefined,
  refreshMs: undefined,
  tolerance: 1,
  settleMs: 10_000,
  ramp: undefined,
  intervalMs: 1000,
  safe: "zero",
  prepare: undefined,
  fallback: { kind: "value", value: 0 },
  profile: undefined,
};

const START = 1_000_000;

interface Course {
  readonly seconds: number;
  readonly want: (second: number) => number | undefined;
  /** What the device measures for what it was told. */
  readonly measure?: (told: number) => number | undefined;
  readonly control?: Partial<Control>;
  readonly bounds?: (second: number) => { min: number; max: number };
  readonly isDone?: boolean;
}

/** `second: value`, with `+` where the device is prepared first, and the last state. */
function run({ seconds, want, measure = (told) => told, control, bounds, isDone = true }: Course) {
  let state: ControlState = NEVER_WRITTEN;
  let told = 0;
  const writes: string[] = [];
  for (let second = 1; second <= seconds; second += 1) {
    const now = START + second * 1000;
    const value = measure(told);
    const plan = planWrite({ ...CONTROL, ...control }, state, {
      now,
      value: want(second),
      bounds: bounds?.(second) ?? { min: -100, max: 100 },
      reading: value === undefined ? undefined : { value, at: now },
      isReachable: true,
    });
    state = plan.state;
    if (plan.write === undefined) continue;
    const { write } = plan;
    if (write.kind === "value") told = write.value;
    writes.push(`${second}: ${write.kind === "value" ? `${write.withPrepare ? "+" : ""}${write.value}` : "fallback"}`);
    state = writeEnded(state, isDone);
  }
  return { writes, state };
}

const until = (end: number) => (second: number) => (second < end ? 50 : undefined);

test.each<[string, Course, string[]]>([
  ["a value is written once, and its fallback once", { seconds: 60, want: until(30) }, ["1: 50", "30: fallback"]],
  [
    "at half of its refresh it is written again",
    { seconds: 22, want: until(99), control: { refreshMs: 20_000 } },
    ["1: 50", "11: 50", "21: 50"],
  ],
  [
    "without a fallback the device keeps the last value",
    { seconds: 60, want: until(30), control: { fallback: undefined } },
    ["1: 50"],
  ],
  [
    "changes wait for the interval",
    { seconds: 9, want: (second) => second, control: { intervalMs: 4000 } },
    ["1: 1", "5: 5", "9: 9"],
  ],
  [
    "a ramp takes steps from what is measured",
    { seconds: 9, want: until(99), control: { ramp: 20 } },
    ["1: 20", "2: 40", "3: 50"],
  ],
  [
    "a limit does not wait for the ramp",
    {
      seconds: 3,
      want: until(99),
      control: { ramp: 1 },
      bounds: (second) => (second < 3 ? { min: -100, max: 100 } : { min: 30, max: 100 }),
    },
    ["1: 1", "2: 2", "3: 30"],
  ],
  [
    "the device is prepared before the first value",
    {
      seconds: 20,
      want: (second) => (second < 9 ? 50 : 60),
      control: { prepare: { command: "take", arguments: new Map() } },
    },
    ["1: +50", "9: 60"],
  ],
  [
    "a failed write is repeated ever more slowly",
    { seconds: 40, want: until(99), isDone: false },
    ["1: 50", "3: 50", "7: 50", "15: 50", "31: 50"],
  ],
  [
    "what is not followed is written three times more",
    { seconds: 120, want: until(999), measure: () => 0 },
    ["1: 50", "11: 50", "21: 50", "31: 50"],
  ],
])("%s", (_, course, expected) => {
  expect(run(course).writes).toEqual(expected);
});

test("whether a device follows: in time, too late, never, and unknown", () => {
  const follow = (course: Partial<Course>) => {
    const { state } = run({ seconds: 5, want: until(999), ...course });
    return [state.follow, isIgnoring(state)];
  };
  expect(follow({})).toEqual(["followed", false]);
  expect(follow({ measure: () => 0 })).toEqual(["settling", false]);
  expect(follow({ measure: () => 0, seconds: 15 })).toEqual(["not_followed", false]);
  expect(follow({ measure: () => 0, seconds: 50 })).toEqual(["not_followed", true]);
  expect(follow({ measure: () => undefined, seconds: 50 })).toEqual(["unknown", false]);
  expect(follow({ control: { reads: undefined } })).toEqual(["unknown", false]);
  expect(follow({ want: until(4), measure: () => 0 })).toEqual(["idle", false]);
});

test("a clock that is set back does not delay a write", () => {
  const { state } = run({ seconds: 100, want: until(999) });
  const situation = { bounds: { min: -100, max: 100 }, reading: undefined, isReachable: true };
  const first = planWrite(CONTROL, state, { ...situation, now: START - 5000, value: 60 });
  expect(first.write).toBeUndefined();
  expect(planWrite(CONTROL, first.state, { ...situation, now: START - 4000, value: 60 }).write).toMatchObject({
    value: 60,
  });
});

test("after a start the value is written again, and nothing is if it was not held", () => {
  const { state } = run({ seconds: 5, want: until(999) });
  const situation = {
    now: START + 9000,
    value: 50,
    bounds: { min: -100, max: 100 },
    reading: undefined,
    isReachable: true,
  };
  expect(planWrite(CONTROL, state, situation).write).toBeUndefined();
  expect(planWrite(CONTROL, startedAnew(state), situation).write).toMatchObject({ value: 50 });
  expect(startedAnew(NEVER_WRITTEN)).toBe(NEVER_WRITTEN);
});
