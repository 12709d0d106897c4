import { expect, test } from "vitest";
import { encodeNumbers } from "./numbers.ts";
import { decodeSections, encodeSections } from "./sections.ts";

const room = (count: number) => new Float64Array(count);
const wave = (count: number) =>
  Float64Array.from({ length: count }, (_, i) => Math.round(Math.sin(i / 50) * 1e4) / 100);

test.each([0, 1, 4_095, 4_096, 4_097, 8_192, 20_000])("any part of %i numbers is what it was", (count) => {
  const values = wave(count);
  const bytes = encodeSections(values, count);
  for (const from of [0, 1, 4_095, 4_096, 5_000, count].filter((at) => at <= count)) {
    for (const to of [from, from + 1, 4_096, 4_097, 8_192, count].filter((at) => at >= from && at <= count)) {
      const found = decodeSections(bytes, { from, to, count }, room);
      expect([from, to, [...found]]).toEqual([from, to, [...values.subarray(from, to)]]);
    }
  }
});

test("one value many times takes no sections, and numbers without sections are read too", () => {
  expect(encodeSections(new Float64Array(50_000).fill(7), 50_000).length).toBeLessThan(16);
  const values = wave(10_000);
  const bytes = encodeNumbers(values, 10_000);
  expect([...decodeSections(bytes, { from: 9_000, to: 9_003, count: 10_000 }, room)]).toEqual([
    ...values.subarray(9_000, 9_003),
  ]);
});

test("damaged sections are reported as such", () => {
  const bytes = encodeSections(wave(10_000), 10_000);
  const all = { from: 0, to: 10_000, count: 10_000 };
  const without = (...changes: readonly [number, number][]) => {
    const damaged = bytes.slice();
    for (const [at, byte] of changes) damaged[at] = byte;
    return damaged;
  };
  expect(() => decodeSections(bytes, { ...all, count: 9_999 }, room)).toThrow("Damaged numbers");
  expect(() => decodeSections(bytes.subarray(0, 100), all, room)).toThrow("Damaged numbers");
  expect(() => decodeSections(Uint8Array.of(...bytes, 0), all, room)).toThrow("left over");
  expect(() => decodeSections(without([3, 0], [4, 0]), all, room)).toThrow("Damaged numbers");
  expect(() => decodeSections(encodeNumbers(wave(5), 5), all, room)).toThrow("5 values instead of 10000");
});
