import { expect, test } from "vitest";
import { explain, fieldAt, hintsAt } from "./manifest-hints.ts";

const PROFILES = [{ id: "energy.battery", displayName: "Battery", description: "A battery." }];
const DECLARED = "command_groups:\n  operation: {display_name: O}\ntelemetry:\n  flow: {type: float}\n";

function labels(text: string): readonly string[] {
  const offset = text.indexOf("|");
  return hintsAt(text.replace("|", ""), offset, PROFILES)?.hints.map(({ label }) => label) ?? [];
}

test("keys of an object are offered, required ones first, without those that are there", () => {
  const found = labels("telemetry:\n  flow:\n    type: float\n    |");
  expect(found[0]).toBe("display_name");
  expect(found).toContain("unit");
  expect(found).not.toContain("type");
  expect(labels("telemetry:\n  |")).toEqual([]);
  expect(labels(".notes:\n  |")).toEqual([]);
});

test.each([
  ["telemetry:\n  s:\n    type: |", "float"],
  ["telemetry:\n  s: {enum: {a: {color: |", "green-dark"],
  ["commands:\n  go: {access_level: |", "owner"],
  ["category: |", "battery-systems"],
  ["implements: [|", "energy.battery"],
  ["implements:\n  - |", "energy.battery"],
  ["telemetry:\n  s: {type: float, unit: |", "kWh"],
  [`${DECLARED}commands:\n  go:\n    group: |`, "operation"],
  [`${DECLARED}alerts:\n  hot:\n    telemetry: [|`, "flow"],
  ["commands:\n  go:\n    arguments:\n      a:\n        required: |", "true"],
])("%j offers %s", (text, label) => {
  expect(labels(text)).toContain(label);
});

test("what is put in is valid YAML: objects on a line of their own, odd units in quotes", () => {
  const apply = (text: string, label: string) =>
    hintsAt(text, text.length, PROFILES)?.hints.find((hint) => hint.label === label)?.apply;
  expect(apply("commands:\n  go:\n    ", "confirmation")).toBe("confirmation:\n      ");
  expect(apply("commands:\n  go:\n    ", "group")).toBe("group: ");
  expect(apply("telemetry:\n  s:\n    unit: ", "%")).toBe('"%"');
  expect(apply("telemetry:\n  s:\n    unit: ", "m3/h")).toBe("m3/h");
});

test.each([
  ["telem|etry:\n", "telemetry", /time series/],
  ["telemetry:\n  flow: {ty|pe: float}", "type", /Type of the values/],
  ["implements: [energy.bat|tery]", "Battery", /A battery/],
  ["telemetry:\n  flow:\n    type: flo|at", "type", /Type of the values/],
])("%j is explained", (text, title, about) => {
  const found = explain(text.replace("|", ""), text.indexOf("|"), PROFILES);
  expect(found?.title).toBe(title);
  expect(found?.text).toMatch(about);
});

test("a word that the language does not know has no explanation", () => {
  expect(explain("nonsense: 1", 3, PROFILES)).toBeUndefined();
  expect(fieldAt(["telemetry", "flow", "constructor"])).toBeUndefined();
});
