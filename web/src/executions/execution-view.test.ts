import { expect, test } from "vitest";
import type { Execution } from "#client/resources.ts";
import {
  durationOf,
  furtherFields,
  isNewer,
  namesCancel,
  outcomeOf,
  progressOf,
  withResponses,
} from "./execution-view.ts";

const response = (second: number, payload = {}, state: "IN_PROGRESS" | "SUCCEEDED" | "ERROR" = "IN_PROGRESS") => ({
  state,
  payload,
  received_at: `2026-11-16T03:00:0${second}.000000Z`,
});
const execution = (state: Execution["state"], change: Partial<Execution> = {}): Execution => ({
  id: "e1",
  device_id: "d1",
  state,
  ephemeral: false,
  created_at: "2026-11-16T03:00:00Z",
  request: { name: "start", manifest_name: "start", arguments: {} },
  ...change,
});

test.each([
  [execution("NEW"), "waiting"],
  [execution("IN_PROGRESS"), "running"],
  [execution("SUCCESS"), "done"],
  [execution("ERROR", { response: response(1, { message: "too hot" }, "ERROR") }), "device error"],
  [
    execution("ERROR", { response: response(1, { message: "interrupted by restart, outcome unknown" }) }),
    "interrupted",
  ],
  [execution("TIMEOUT"), "never answered"],
  [
    execution("TIMEOUT", { response: { state: "STARTED", received_at: "2026-11-16T03:00:01.000000Z" } }),
    "never answered",
  ],
  [execution("TIMEOUT", { response: response(1) }), "fell silent"],
  [execution("UNSYNC"), "not known here"],
])("%j is %s", (given, expected) => {
  expect(outcomeOf(given)).toBe(expected);
});

test.each([
  [{ progress: 0.4 }, 0.4],
  [{ progress: 40 }, 0.4],
  [{ percent: 1 }, 0.01],
  [{ message: "heads 0.0 K above the air, 35 %" }, 0.35],
  [{ message: "400 % of nothing" }, undefined],
  [{ progress: "much" }, undefined],
  [undefined, undefined],
])("the progress of %j is %s", (payload, expected) => {
  expect(progressOf(payload)).toBe(expected);
});

test.each([
  ["SUCCESS", 4_000],
  ["IN_PROGRESS", 60_000],
  ["TIMEOUT", undefined],
  ["UNSYNC", undefined],
] as const)("the duration of %s is %s", (state, expected) => {
  const given = execution(state, { response: response(4) });
  expect(durationOf(given, Date.parse("2026-11-16T03:01:00Z"))).toBe(expected);
});

test("responses are shown once, oldest first", () => {
  const log = [response(3), response(1)];
  expect(
    withResponses([response(1)], { log, response: response(3) }).map((one) => one.received_at.slice(17, 19)),
  ).toEqual(["01", "03"]);
});

test("an event that comes late changes nothing", () => {
  const done = execution("SUCCESS", { response: response(3, {}, "SUCCEEDED") });
  expect(isNewer(done, execution("IN_PROGRESS", { response: response(2) }))).toBe(false);
  expect(isNewer(execution("IN_PROGRESS", { response: response(2) }), done)).toBe(true);
  expect(
    isNewer(execution("IN_PROGRESS", { response: response(2) }), execution("TIMEOUT", { response: response(2) })),
  ).toBe(true);
});

test("what is declared or shown already is not shown again", () => {
  expect(furtherFields({ a: 1, b: 2, message: "x" }, new Set(["a"]))).toEqual({ b: 2 });
});

test.each([
  [{ commands: { test: { ".busbar": { cancel: "stop" } }, stop: {} } }, true],
  [{ commands: { test: { ".busbar": {} } } }, false],
  [{ commands: { test: {} } }, false],
  [{ commands: [] }, false],
  [null, false],
])("whether %j names a command that cancels test is %s", (manifest, expected) => {
  expect(namesCancel(manifest, "test")).toBe(expected);
});
