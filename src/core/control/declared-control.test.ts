import { expect, test } from "vitest";
import { type DeclaredControl, type DeclaredFallback, renderControl } from "./declared-control.ts";

const CONTROL: DeclaredControl = {
  id: "power",
  displayName: undefined,
  command: "set_power",
  argument: "power",
  arguments: new Map(),
  reads: "power",
  unit: "W",
  min: 0,
  max: undefined,
  step: undefined,
  refreshMs: 30_000,
  tolerance: undefined,
  settleMs: 5_000,
  ramp: undefined,
  intervalMs: 1_000,
  safe: "zero",
  prepare: undefined,
  fallback: undefined,
};

test("a control is rendered in the words of the manifest, without what nobody said", () => {
  expect(renderControl(CONTROL)).toEqual({
    command: "set_power",
    argument: "power",
    reads: "power",
    unit: "W",
    min: 0,
    refresh: "30000ms",
    settle: "5000ms",
    interval: "1000ms",
    safe: "zero",
  });
  const call = { command: "take_over", arguments: new Map([["mode", "remote"]]) };
  const rendered = renderControl({ ...CONTROL, arguments: new Map([["hold", true]]), prepare: call });
  expect(rendered["arguments"]).toEqual({ hold: true });
  expect(rendered["prepare"]).toEqual({ command: "take_over", arguments: { mode: "remote" } });
});

test.each<[DeclaredFallback, unknown]>([
  [{ kind: "value", value: "min" }, { value: "min" }],
  [
    { kind: "command", command: "stop", arguments: new Map(), value: undefined },
    { command: "stop", arguments: {} },
  ],
  [
    { kind: "command", command: "stop", arguments: new Map(), value: 0 },
    { command: "stop", arguments: {}, value: 0 },
  ],
])("the fallback %j is rendered as %j", (fallback, expected) => {
  expect(renderControl({ ...CONTROL, fallback })["fallback"]).toEqual(expected);
});
