import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countOf, decodeNumbers, encodeNumbers } from "./numbers.ts";

const bitsOf = (values: Float64Array): BigUint64Array => new BigUint64Array(values.slice().buffer);

function roundTrip(given: readonly number[]): Uint8Array {
  const values = Float64Array.from(given);
  const bytes = encodeNumbers(values, values.length);
  expect(countOf(bytes)).toBe(values.length);
  const out = new Float64Array(values.length + 3).fill(7);
  expect(decodeNumbers(bytes, out)).toBe(values.length);
  expect([...out.subarray(values.length)]).toEqual([7, 7, 7]);
  expect(bitsOf(out.subarray(0, values.length))).toEqual(bitsOf(values));
  // Bytes from a database may begin anywhere in their buffer.
  const shifted = new Uint8Array(bytes.length + 3).subarray(3);
  shifted.set(bytes);
  const again = new Float64Array(values.length);
  decodeNumbers(shifted, again);
  expect(bitsOf(again)).toEqual(bitsOf(values));
  return bytes;
}

const many = <T>(of: fc.Arbitrary<T>) => fc.array(of, { maxLength: 400, size: "max" });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const decimal = (places: number) => fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((n) => n / 10 ** places);
const edges = [0, -0, 1, -1, 5e-324, -5e-324, 2.2250738585072014e-308, Number.MAX_VALUE, -Number.MAX_VALUE, 0.1, 1 / 3]
  .concat(
    [31, 32, 51, 52, 53, 54, 63].flatMap((bits) => [-1, 0, 1].flatMap((by) => [2 ** bits + by, -(2 ** bits) + by])),
  )
  .concat([1e15, 1e15 + 0.1, 1e21, 123456789.12345679, -0.000001]);

describe("numbers come back bit by bit", () => {
  test.each([[[]], [[0]], [[-0]], [[5e-324]], [[1.5, 1.5, 1.5]], [[0, -0]], [edges], [[...edges, ...edges].reverse()]])(
    "%j",
    (values) => {
      roundTrip(values);
    },
  );

  test("any finite doubles", () => {
    fc.assert(fc.property(many(finite), roundTripQuietly), { numRuns: 300 });
  });

  test("special values between ordinary ones", () => {
    fc.assert(
      fc.property(many(fc.oneof({ weight: 20, arbitrary: decimal(1) }, fc.constantFrom(...edges))), roundTripQuietly),
      { numRuns: 300 },
    );
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])("decimals with %i places", (places) => {
    fc.assert(fc.property(many(decimal(places)), roundTripQuietly), { numRuns: 60 });
    const walk = fc.tuple(fc.integer(), many(fc.integer({ min: -50, max: 50 }))).map(([from, steps]) => {
      let n = from;
      return steps.map((step) => {
        n += step;
        return n / 10 ** places;
      });
    });
    fc.assert(fc.property(walk, roundTripQuietly), { numRuns: 60 });
  });

  test("float32 values", () => {
    fc.assert(fc.property(many(fc.float({ noNaN: true, noDefaultInfinity: true })), roundTripQuietly), {
      numRuns: 200,
    });
  });

  test("counters that wrap", () => {
    const counter = fc
      .tuple(fc.nat(2 ** 31 - 1), many(fc.nat(70000)), fc.integer({ min: 1000, max: 2 ** 31 - 1 }))
      .map(([from, steps, wrap]) => {
        let n = from;
        return steps.map((step) => {
          n = (n + step) % wrap;
          return n;
        });
      });
    fc.assert(fc.property(counter, roundTripQuietly), { numRuns: 200 });
  });

  test("whole numbers of every size, with steps of every size", () => {
    const sized = fc
      .tuple(fc.integer({ min: 0, max: 53 }), fc.double({ min: -1, max: 1, noNaN: true }))
      .map(([bits, part]) => Math.trunc(part * 2 ** bits));
    fc.assert(fc.property(many(sized), roundTripQuietly), { numRuns: 200 });
    const width = fc
      .integer({ min: 0, max: 52 })
      .chain((bits) => many(fc.double({ min: 0, max: 1, noNaN: true }).map((part) => Math.trunc(part * 2 ** bits))));
    fc.assert(fc.property(width, roundTripQuietly), { numRuns: 300 });
  });
});

function roundTripQuietly(values: readonly number[]): void {
  roundTrip(values);
}

test("NaN and infinities stay what they are and harm no neighbour", () => {
  const given = Array.from({ length: 300 }, (_, i) => i / 10);
  given[7] = Number.NaN;
  given[100] = Number.POSITIVE_INFINITY;
  given[299] = Number.NEGATIVE_INFINITY;
  const out = new Float64Array(300);
  decodeNumbers(encodeNumbers(Float64Array.from(given), 300), out);
  expect([...out]).toEqual(given);
});

test("only the first of the values are encoded", () => {
  const out = new Float64Array(5);
  expect(decodeNumbers(encodeNumbers(Float64Array.of(1, 2, 3, 4), 2), out)).toBe(2);
  expect([...out]).toEqual([1, 2, 0, 0, 0]);
});

describe("sizes", () => {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed / 2 ** 32;
  };
  const size = (make: (i: number) => number) => {
    const values = Array.from({ length: 3600 }, (_, i) => make(i));
    return roundTrip(values).length / 3600;
  };
  let level = 23000;
  const walk = () => {
    level += Math.round((random() - 0.5) * 12);
    return level;
  };
  test.each<[string, number, (i: number) => number]>([
    ["constants", 0.01, () => 21.5],
    ["decimals of one place that wander", 0.6, () => walk() / 10],
    ["decimals of three places that wander", 0.6, () => walk() / 1000],
    ["decimals with one value in a hundred of another kind", 0.75, (i) => (i % 100 === 50 ? Math.PI * i : walk() / 10)],
    ["decimals with negative zeros between", 0.7, (i) => (i % 100 === 50 ? -0 : walk() / 10)],
    ["a counter with few steps", 0.3, (i) => Math.floor(i / 60)],
    ["a steady counter that was reset once", 0.03, (i) => (i < 1000 ? 5e9 + i * 17 : i * 17)],
    ["a wandering value with rare spikes", 0.7, (i) => (i % 90 === 40 ? 65535 : walk() / 10)],
    ["float32 noise", 2.6, () => Math.fround(230 + random())],
    ["double noise", 6.1, () => 230 + random()],
  ])("%s take at most %f bytes a value", (_, most, make) => {
    expect(size(make)).toBeLessThanOrEqual(most);
  });
});
