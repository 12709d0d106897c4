import { expect, test } from "vitest";
import { argumentValue, type Control, type ControlledType, representable } from "./control.ts";

function control(argumentType: ControlledType, fields: Partial<Control> = {}): Control {
  return { argumentType, toArgument: { factor: 1, offset: 0 }, step: undefined, ...fields } as Control;
}

test.each<[ControlledType, Partial<Control>, number, number, number]>([
  // Inside a limit from below, and from above.
  ["float", {}, 10.6, 10.6, 10.6],
  ["integer", {}, 10.6, 11, 10],
  ["integer", {}, -10.6, -10, -11],
  ["integer", {}, 10, 10, 10],
  ["boolean", {}, 0.5, 1, 0],
  ["float", { step: 2.5 }, 6, 7.5, 5],
  // 0.3 / 0.1 is a little less than 3.
  ["float", { step: 0.1 }, 0.3, 0.3, 0.3],
  // The argument is in kilowatts, and falls while the control rises.
  ["integer", { toArgument: { factor: 0.001, offset: 0 } }, 2_500, 3_000, 2_000],
  ["integer", { toArgument: { factor: -0.001, offset: 0 } }, 2_500, 3_000, 2_000],
])("of a control of type %s with %j, a limit of %d allows from %d and up to %d", (type, fields, limit, min, max) => {
  expect(representable(control(type, fields), limit, "min")).toBeCloseTo(min, 12);
  expect(representable(control(type, fields), limit, "max")).toBeCloseTo(max, 12);
});

test("a value is written in the type and the unit of the argument", () => {
  expect(argumentValue(control("boolean"), 0.4)).toBe(false);
  expect(argumentValue(control("boolean"), 0.5)).toBe(true);
  expect(argumentValue(control("integer", { toArgument: { factor: 0.001, offset: 1 } }), 2_600)).toBe(4);
  expect(argumentValue(control("float", { toArgument: { factor: 0.1, offset: 0 } }), 3)).toBe(0.3);
});
