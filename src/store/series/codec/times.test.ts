import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTimes, encodeTimes } from "./times.ts";

function roundTrip(given: readonly number[]): Uint8Array {
  const bytes = encodeTimes(Float64Array.from(given), given.length);
  const out = new Float64Array(given.length);
  expect(decodeTimes(bytes, out)).toBe(given.length);
  expect([...out]).toEqual(given);
  return bytes;
}

const rising = (from: number, steps: readonly number[]): number[] => {
  let time = from;
  return steps.map((step) => {
    time += step;
    return time;
  });
};

test.each([[[]], [[0]], [[-5]], [[1_700_000_000_000]], [[-1, 0, 1]], [[-(2 ** 51) + 1, 0, 2 ** 51 - 1]]])(
  "%j comes back",
  (times) => {
    roundTrip(times);
  },
);

test("times of any steps come back", () => {
  const step = fc.oneof(
    fc.integer({ min: 1, max: 2000 }),
    fc.integer({ min: 995, max: 1005 }),
    fc.integer({ min: 1, max: 2 ** 40 }),
  );
  const times = fc.tuple(
    fc.integer({ min: -(2 ** 41), max: 2 ** 41 }),
    fc.array(step, { maxLength: 600, size: "max" }),
  );
  fc.assert(
    fc.property(times, ([from, steps]) => void roundTrip(rising(from, steps))),
    { numRuns: 300 },
  );
});

test.each<[string, number, (i: number) => boolean, number]>([
  ["regular seconds", 0.04, () => true, 0],
  ["seconds with 5 ms of jitter", 0.7, () => true, 5],
  ["seconds with 5 ms of jitter and every 70th lost", 0.75, (i) => i % 70 !== 0, 5],
  ["seconds with 20 ms of jitter and every 70th lost", 1, (i) => i % 70 !== 0, 20],
])("%s take at most %f bytes each", (_, most, arrives, jitter) => {
  let seed = 7;
  const random = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed / 2 ** 32;
  };
  const times = Array.from({ length: 3600 }, (_, i) => 1_700_000_000_000 + i * 1000 + Math.floor(random() * jitter));
  expect(roundTrip(times.filter((_, i) => arrives(i))).length / 3600).toBeLessThanOrEqual(most);
});

test.each([[[1, 1]], [[2, 1]], [[0.5]], [[2 ** 51]], [[Number.NaN]], [[-(2 ** 51)]]])("%j are refused", (times) => {
  expect(() => encodeTimes(Float64Array.from(times), times.length)).toThrow(/whole milliseconds/);
});
