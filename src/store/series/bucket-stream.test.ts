import { expect, test } from "vitest";
import { BucketStream } from "./bucket-stream.ts";
import type { Column } from "./column.ts";

/** Points at whole seconds, each with its second as its value. */
function seconds(from: number, to: number): Column {
  const times = Float64Array.from({ length: to - from }, (_, i) => (from + i) * 1_000);
  return { kind: "number", count: to - from, times, values: times.map((time) => time / 1_000) };
}

function bucketsOf(columns: readonly Column[], granularityMs: number): readonly (readonly [number, unknown])[] {
  const pieces = columns.map((column) => ({ column, from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }));
  const stream = new BucketStream(pieces, { kind: "number", granularityMs, aggregation: "last" });
  const found: (readonly [number, unknown])[] = [];
  for (let start = stream.next(); start !== Number.POSITIVE_INFINITY; start = stream.next()) {
    found.push([start, stream.take()]);
  }
  return found;
}

test("a stream that has ended stays ended while others use its room", () => {
  const open = (from: number) => {
    const pieces = [{ column: seconds(from, from + 5), from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }];
    return new BucketStream(pieces, { kind: "number", granularityMs: 1_000, aggregation: "last" });
  };
  const read = (stream: BucketStream) => [stream.next(), stream.next() < Number.POSITIVE_INFINITY && stream.take()];
  const first = open(0);
  for (let i = 0; i < 5; i++) expect(read(first)).toEqual([i * 1_000, i]);
  expect([read(first), read(first)]).toEqual(Array(2).fill([Number.POSITIVE_INFINITY, false]));
  const [second, third] = [open(10), open(20)];
  for (let i = 0; i < 5; i++) {
    expect([read(second), read(first), read(third), first.ready]).toEqual([
      [(10 + i) * 1_000, 10 + i],
      [Number.POSITIVE_INFINITY, false],
      [(20 + i) * 1_000, 20 + i],
      0,
    ]);
  }
});

// Buckets are made a thousand or so at a time: no border between two lots, two columns or both may lose or double one.
test.each([1, 2, 3])("%i points a bucket: every bucket comes once, wherever columns end", (points) => {
  const granularity = points * 1_000;
  for (const ends of [[], [1], [1_023], [1_024], [1_025], [1_024, 2_048], [1_022, 1_023, 1_026], [1_500, 3_000]]) {
    for (const count of [1, 2, 1_023, 1_024, 1_025, 1_026, 2_047, 2_049, 3_073, 3_600]) {
      const borders = [0, ...ends.filter((end) => end < count), count];
      const columns = borders.slice(1).map((end, i) => seconds(borders[i] ?? 0, end));
      const expected = Array.from({ length: Math.ceil(count / points) }, (_, i) => [
        i * granularity,
        Math.min((i + 1) * points, count) - 1,
      ]);
      expect([ends, count, bucketsOf(columns, granularity)]).toEqual([ends, count, expected]);
    }
  }
});
