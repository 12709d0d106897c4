import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeRegisters,
  encodeRegisters,
  REGISTER_TYPES,
  type RegisterLayout,
  registerCount,
  registerProblem,
} from "./register-value.ts";

const layout = (given: Partial<RegisterLayout>): RegisterLayout => ({
  type: "int16",
  words: "big",
  bytes: "big",
  scale: 1,
  count: 1,
  ...given,
});

test.each<readonly [Partial<RegisterLayout>, number | string, readonly number[]]>([
  [{ type: "int16" }, -5, [0xfffb]],
  [{ type: "uint16" }, 65_535, [0xffff]],
  [{ type: "int16", scale: 0.1 }, 23.5, [235]],
  [{ type: "uint32" }, 70_000, [1, 4464]],
  [{ type: "uint32", words: "little" }, 70_000, [4464, 1]],
  [{ type: "uint32", bytes: "little" }, 70_000, [0x0100, 0x7011]],
  [{ type: "string", bytes: "little", count: 2 }, "ABC", [0x4241, 0x0043]],
  [{ type: "uint32" }, 4_294_967_295, [0xffff, 0xffff]],
  [{ type: "float32" }, 51.2, [0x424c, 0xcccd]],
  [{ type: "float64" }, 1, [0x3ff0, 0, 0, 0]],
  [{ type: "int64" }, -1, [0xffff, 0xffff, 0xffff, 0xffff]],
  [{ type: "string", count: 3 }, "ABC", [0x4142, 0x4300, 0]],
])("%j of %j are the registers %j", (given, value, registers) => {
  expect(encodeRegisters(layout(given), value)).toEqual(registers);
});

test.each<readonly [Partial<RegisterLayout>, number | string, string]>([
  [{ type: "int16" }, 40_000, "must lie between -32768 and 32767, not 40000"],
  [{ type: "uint16" }, -1, "must lie between 0 and 65535, not -1"],
  [{ type: "uint16", scale: 0.001 }, 66, "must lie between 0 and 65535, not 66 / 0.001 = 66000"],
  [{ type: "int16" }, "x", "must be a finite number"],
  [{ type: "string" }, 5, "must be a text"],
])("%j cannot hold %j: it %s", (given, value, problem) => {
  expect(registerProblem(layout(given), value)).toBe(problem);
});

test("a float32 is decoded to the shortest number that it can mean", () => {
  const one = layout({ type: "float32" });
  for (const value of [51.2, 0.1, -230.04, 1e-7, 123_456.7]) {
    expect(decodeRegisters(one, encodeRegisters(one, value))).toBe(value);
  }
});

test("what was encoded is decoded again, in either order of words and bytes", () => {
  const types = REGISTER_TYPES.filter((type) => type !== "string");
  fc.assert(
    fc.property(
      fc.constantFrom(...types),
      fc.constantFrom("big", "little"),
      fc.constantFrom("big", "little"),
      fc.integer({ min: 0, max: 32_767 }),
      (type, words, bytes, value) => {
        const one = layout({ type, words, bytes });
        const registers = encodeRegisters(one, value);
        expect(registers).toHaveLength(registerCount(one));
        expect(decodeRegisters(one, registers)).toBe(value);
      },
    ),
  );
});

test("scaled registers come back without the noise of binary fractions", () => {
  const tenths = layout({ type: "int16", scale: 0.1 });
  expect(decodeRegisters(tenths, encodeRegisters(tenths, 23.7))).toBe(23.7);
});
