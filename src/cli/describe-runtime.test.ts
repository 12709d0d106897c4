import { expect, test } from "vitest";
import { describeRuntime } from "./describe-runtime.ts";

const RUNNING = {
  state: "RUNNING",
  since: "T1",
  start_count: 1,
  overrun: null,
  last_error: null,
  restart_at: null,
  memory_bytes: null,
} as const;

test.each([
  [{}, "RUNNING since T1"],
  [
    { state: "OVERRUNNING", overrun: { activity: "job", command: null, file: "main.lua", line: 7 } },
    "OVERRUNNING since T1, job at main.lua:7",
  ],
  [
    { state: "OVERRUNNING", overrun: { activity: "command", command: "start", file: null, line: null } },
    "OVERRUNNING since T1, command start",
  ],
] as const)("%j is described as %s", (changed, expected) => {
  expect(describeRuntime({ ...RUNNING, ...changed })).toBe(expected);
});
