import { expect, test } from "vitest";
import { axesOf, conversionTo, digitsFor } from "./axes.ts";

const measured = (unit: string | undefined, size = 1, autoScale: readonly string[] = []) => ({ unit, size, autoScale });
const show = (list: readonly ReturnType<typeof measured>[]) =>
  axesOf(list).map(({ unit, members }) => `${unit ?? "-"}:${members.join("+")}`);

test("values that fit one unit share an axis, in the order in which they come", () => {
  expect(
    show([measured("W"), measured("%"), measured("kW"), measured("Cel"), measured(undefined), measured(undefined)]),
  ).toEqual(["W:0+2", "%:1", "Cel:3", "-:4+5"]);
});

test("what could be converted but means something else has an axis of its own", () => {
  expect(show([measured("W"), measured("V.A"), measured("V.A{reactive}"), measured("%"), measured("1")])).toEqual([
    "W:0",
    "V.A:1",
    "V.A{reactive}:2",
    "%:3",
    "1:4",
  ]);
});

test("the unit of an axis is the one in which its greatest value reads best", () => {
  const scale = ["W", "kW", "MW"];
  expect(show([measured("W", 900, scale)])).toEqual(["W:0"]);
  expect(show([measured("W", 900, scale), measured("W", 21_000, scale)])).toEqual(["kW:0+1"]);
  expect(show([measured("W", 900, scale), measured("MW", 2)])).toEqual(["MW:0+1"]);
});

test("values are converted to the unit of their axis", () => {
  expect(conversionTo("W", "kW")).toEqual({ factor: 0.001, offset: 0 });
  expect(conversionTo("own", "W")).toEqual({ factor: 1, offset: 0 });
  const { factor, offset } = conversionTo("Cel", "K");
  expect(offset + factor * 20).toBeCloseTo(293.15);
});

test.each([
  [0, 2],
  [0.05, 4],
  [3, 2],
  [40, 1],
  [5_000, 0],
])("values within %d are distinguished by %d digits", (span, digits) => {
  expect(digitsFor(span)).toBe(digits);
});
