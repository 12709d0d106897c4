import { expect, test } from "vitest";
import { keysBelow, placeAt } from "./place-in-yaml.ts";

/** The cursor is at the bar. */
function at(text: string) {
  const offset = text.indexOf("|");
  const place = placeAt(text.replace("|", ""), offset);
  return place && `${place.kind} ${place.path.join("/")} [${place.typed}]`;
}

test.each([
  ["|", "key  []"],
  ["disp|", "key  [disp]"],
  ["display_name: Pu|", "value display_name [Pu]"],
  ["telemetry:\n  |", "key telemetry []"],
  ["telemetry:\n  flow:\n    ty|", "key telemetry/flow [ty]"],
  ["telemetry:\n  flow:\n    type: fl|", "value telemetry/flow/type [fl]"],
  ["telemetry:\n  flow:\n    type: float\n  |", "key telemetry []"],
  ["telemetry:\n  flow:\n    type: float\n\n    # note\n    u|\n  level:\n", "key telemetry/flow [u]"],
  ["telemetry:\n  flow: {type: float, un|}", "key telemetry/flow [un]"],
  ["telemetry:\n  flow: {type: |", "value telemetry/flow/type []"],
  ["telemetry:\n  s: {enum: {a: {color: gr|", "value telemetry/s/enum/a/color [gr]"],
  ["implements: [energy.ba|", "value implements [energy.ba]"],
  ["implements: [a, |", "value implements []"],
  ["implements:\n  - energy.|", "value implements [energy.]"],
  ["implements:\n- energy.|", "value implements [energy.]"],
  ["runtime: {type: lua}\n|", "key  []"],
  ['"display_name": "a: {b" |', 'value display_name ["a: {b" ]'],
  ["commands:\n  go:\n    confirmation:\n      se|", "key commands/go/confirmation [se]"],
])("%j is %s", (text, expected) => {
  expect(at(text)).toBe(expected);
});

test.each(["# te|", "a: b # c|", "  #|"])("%j is a comment", (text) => {
  expect(at(text)).toBeUndefined();
});

test("the keys that are there already are listed, of the same object only", () => {
  const text = "telemetry:\n  flow:\n    type: float\n    \n    unit: m\n  level:\n    display_name: x\n";
  const place = placeAt(text, text.indexOf("    \n") + 4);
  expect([...(place?.siblings ?? [])].sort()).toEqual(["type", "unit"]);
  expect([...(placeAt("a: {type: x, unit: y, ", 22)?.siblings ?? [])]).toEqual(["type", "unit"]);
});

test("the declared ids of a section are found", () => {
  const text = "telemetry:\n  a: {type: float}\n  b:\n    type: float\n\n  # c\n  'd':\n    x: y\ncommands:\n  e: {}\n";
  expect(keysBelow(text, "telemetry")).toEqual(["a", "b", "d"]);
  expect(keysBelow(text, "commands")).toEqual(["e"]);
  expect(keysBelow(text, "alerts")).toEqual([]);
});
