import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBooleans, encodeBooleans } from "./booleans.ts";
import { decodePresence, encodePresence } from "./presence.ts";

describe.each([
  ["booleans", encodeBooleans, decodeBooleans],
  ["presence", encodePresence, decodePresence],
] as const)("%s", (_, encode, decode) => {
  function roundTrip(given: readonly number[]): number {
    const bytes = encode(Uint8Array.from(given), given.length);
    const out = new Uint8Array(given.length + 2).fill(9);
    expect(decode(bytes, out)).toBe(given.length);
    expect([...out]).toEqual([...given.map((bit) => (bit ? 1 : 0)), 9, 9]);
    return bytes.length;
  }

  test("come back whatever they are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 300, size: "max" }),
        (bits) => void roundTrip(bits),
      ),
    );
    const runs = fc.array(fc.tuple(fc.boolean(), fc.nat(200)), { maxLength: 30 });
    fc.assert(
      fc.property(runs, (given) => {
        roundTrip(given.flatMap(([bit, length]) => new Array<number>(length).fill(bit ? 1 : 0)));
      }),
    );
  });

  test.each<[string, number, (i: number) => boolean]>([
    ["3600 ones", 3, () => true],
    ["3600 zeros", 3, () => false],
    ["one gap of 100", 8, (i) => i < 500 || i >= 600],
    ["every 60th", 65, (i) => i % 60 === 0],
    ["all but every 60th", 65, (i) => i % 60 !== 0],
    ["every other", 453, (i) => i % 2 === 0],
  ])("%s take at most %i bytes", (_, most, isOne) => {
    expect(roundTrip(Array.from({ length: 3600 }, (_, i) => (isOne(i) ? 1 : 0)))).toBeLessThanOrEqual(most);
  });

  test.each([0, 1, 7, 8, 9])("%i bits come back", (count) => {
    roundTrip(new Array<number>(count).fill(1));
    roundTrip(Array.from({ length: count }, (_, i) => i % 2));
  });
});

test("booleans are not taken for presence", () => {
  expect(() => decodePresence(encodeBooleans(Uint8Array.of(1), 1), new Uint8Array(1))).toThrow(
    "no format has the number 49",
  );
});
