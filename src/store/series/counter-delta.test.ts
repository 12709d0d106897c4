import { expect, test } from "vitest";
import { createRandom } from "../../../test/support/series-bench.ts";
import { CounterDelta } from "./counter-delta.ts";

/** `0=5 10=6.5`: minutes and values. */
function risesOf(text: string, maxPerHour = Number.POSITIVE_INFINITY): number {
  const points = text.split(" ").map((point) => point.split("=").map(Number));
  const column = {
    kind: "number",
    count: points.length,
    times: Float64Array.from(points, ([minutes = 0]) => minutes * 60_000),
    values: Float64Array.from(points, ([, value = 0]) => value),
  } as const;
  const counter = new CounterDelta(undefined, { maxPerHour });
  counter.begin();
  counter.addPoints(column, 0, column.count);
  const result = new Float64Array(1);
  counter.store(result, [], 0);
  return Math.round((result[0] ?? 0) * 1e6) / 1e6;
}

test.each([
  ["a counter that rises", "0=5 1=6.5 2=7", 2],
  ["a small dip that goes on", "0=50000.5 1=50000.4 2=50001.4", 0.9],
  ["a small dip and the return from it", "0=50000.5 1=50000.4 2=50000.5", 0],
  ["a value that is far too low for a moment", "0=50000 1=30000 2=50001", 1],
  ["several dips, one in the other", "0=100 1=90 2=95 3=80 4=99 5=101", 1],
  ["a restart near zero", "0=50000 1=0.5 2=1.5", 1.5],
  ["a restart at zero", "0=3 1=0 2=0.2", 0.2],
  ["a fall that lasts counts from the new level after an hour", "0=50000 1=30000 30=30002 62=30003 70=30005", 3],
  ["a fall over a gap that lasts", "0=50000 600=30000 700=30004", 4],
  ["values below zero", "0=-5 1=-6 2=-4", 1],
])("%s: %s adds %d", (_, points, expected) => {
  expect(risesOf(points)).toBe(expected);
});

test.each([
  ["a rise that can be", "0=100 60=130", 130 - 100],
  ["a rise that cannot be counts nothing, and the next one counts again", "0=100 1=9999 2=9999.5", 0.5],
  ["a fall that cannot have been counted from zero is no restart", "0=9999 1=101 2=102", 0],
  ["a long gap can bring much", "0=100 6000=3000", 2900],
])("with at most 30 an hour, %s: %s adds %d", (_, points, expected) => {
  expect(risesOf(points, 30)).toBe(expected);
});

const PART_MS = 15 * 60_000;

/** Points of some parts, 30 s apart: mostly rising, now and then with a dip, a fall or a restart. */
function randomCounter(random: ReturnType<typeof createRandom>) {
  const count = 30 * random.integer(3, 12);
  const times = Float64Array.from({ length: count }, (_, i) => i * 30_000 + random.integer(0, 29_999));
  let value = random.pick([0, 3, 5_000]);
  const faults = random.pick([0, 0, 0.002, 0.02]);
  const values = times.map(() => {
    value += random.integer(0, 3);
    if (!random.chance(faults)) return value;
    if (random.chance(0.3)) value = random.pick([0, value / 2, value * 3]);
    return value - random.pick([0, 1, 40, value]);
  });
  return { kind: "number", count, times, values } as const;
}

/** What the parts from the one at `from` on say: least, greatest and last value, and the index of the first point of each. */
function partsOf({ times, values, count }: ReturnType<typeof randomCounter>, begin: number, end: number) {
  const parts: { readonly first: number; readonly own: Float64Array }[] = [];
  for (let first = begin; first < Math.min(end, count); ) {
    let next = first;
    const part = Math.floor((times[first] ?? 0) / PART_MS);
    while (next < end && Math.floor((times[next] ?? 0) / PART_MS) === part) next++;
    parts.push({ first, own: values.slice(first, next) });
    first = next;
  }
  const field = (of: (own: Float64Array) => number) => Float64Array.from(parts, ({ own }) => of(own));
  return [field((own) => Math.min(...own)), field((own) => Math.max(...own)), field((own) => own.at(-1) ?? 0)];
}

test("parts give what their points give, for all that comes after them, too, or are refused", () => {
  const random = createRandom(3);
  const taken = { yes: 0, no: 0 };
  for (let round = 0; round < 1_500; round++) {
    const column = randomCounter(random);
    const rule = { maxPerHour: random.pick([Number.POSITIVE_INFINITY, 600, 100]) };
    // The points before a whole part, those of some parts, and those behind them.
    const begin = 30 * random.integer(1, 2);
    const end = Math.min(column.count, begin + 30 * random.integer(1, 6));
    const [plain, byParts] = [new CounterDelta(undefined, rule), new CounterDelta(undefined, rule)];
    const results = [new Float64Array(2), new Float64Array(2)];
    for (const [i, counter] of [plain, byParts].entries()) {
      const result = results[i] ?? new Float64Array(0);
      counter.begin();
      counter.addPoints(column, 0, begin);
      const fields = partsOf(column, begin, end);
      const chunk = { from: 0, to: fields[0]?.length ?? 0, lastAt: column.times[end - 1] ?? 0 };
      if (counter === byParts && counter.takesParts(fields, chunk)) {
        taken.yes++;
        counter.addParts(fields, 0, 1);
        if (chunk.to > 1) counter.addParts(fields, 1, chunk.to);
      } else {
        taken.no++;
        counter.addPoints(column, begin, end);
      }
      counter.store(result, [], 0);
      counter.begin();
      counter.addPoints(column, end, column.count);
      counter.store(result, [], 1);
    }
    expect({ round, cells: [...(results[1] ?? [])] }).toEqual({ round, cells: [...(results[0] ?? [])] });
  }
  expect(Math.min(taken.yes, taken.no - 1_500)).toBeGreaterThan(250);
});
