import { expect, test } from "vitest";
import { BucketStream } from "./bucket-stream.ts";
import type { Column } from "./column.ts";
import { RowBlocks } from "./row-blocks.ts";

/** One value of a column that is carried on for a year of seconds. */
function carried(column: Pick<Column, "kind" | "values">): RowBlocks {
  const piece = { column: { ...column, count: 1, times: Float64Array.of(0) } as Column, from: 0, to: 1 };
  const buckets = new BucketStream([piece], { kind: column.kind, granularityMs: 1_000, aggregation: "last" });
  return new RowBlocks([{ buckets, granularity: 1_000, fill: { initial: undefined } }], {
    from: 0,
    to: 31_536_000_000,
  });
}

test.each([
  [{ kind: "number", values: Float64Array.of(7) }, 8 * 1_024, 16],
  [{ kind: "text", values: ["x".repeat(5_000)] }, 27, 5_016],
  [{ kind: "text", values: ["x".repeat(500_000)] }, 1, 500_016],
] as const)("a value that is carried on for very long is one row of a block of bounded size", (column, rows, bytes) => {
  const blocks = carried(column);
  let next = 0;
  for (let i = 0; i < 3; i++) {
    const { block, isLast } = blocks.next(() => false);
    expect([isLast, block.count, block.times[0], block.stepMs]).toEqual([false, 1, next, 1_000]);
    expect(block.columns[0]?.values[0]).toBe(column.values[0]);
    expect(1 + (block.repeats[0] ?? 0)).toBe(rows);
    expect((rows - 1) * bytes).toBeLessThan(128 * 1_024);
    next += rows * 1_000;
  }
});

test("a block ends when it is time for others, but never without a row", () => {
  const times = Float64Array.from({ length: 200 }, (_, i) => i * 1_000);
  const column = { kind: "boolean", count: 200, times, values: new Uint8Array(200) } as const;
  const buckets = new BucketStream([{ column, from: 0, to: 200_000 }], {
    kind: "boolean",
    granularityMs: 1_000,
    aggregation: "last",
  });
  const blocks = new RowBlocks([{ buckets, granularity: 1_000, fill: undefined }], { from: 0, to: 200_000 });
  const counts: (readonly [number, boolean])[] = [];
  for (let isDone = false; !isDone; ) {
    const { block, isLast } = blocks.next(() => true);
    counts.push([block.count, isLast]);
    isDone = isLast;
  }
  expect(counts).toEqual([
    [64, false],
    [64, false],
    [64, false],
    [8, true],
  ]);
});

test("columns whose buckets start alike for a while and then do not give the same rows as one by one", () => {
  const everySecond = Float64Array.from({ length: 5_000 }, (_, i) => i * 1_000);
  const gaps = everySecond.filter((at) => at < 2_000_000 || at % 7_000 !== 0);
  const columns = [everySecond, gaps].map((times) => {
    const column = { kind: "number", count: times.length, times, values: times } as const;
    const asked = { kind: "number", granularityMs: 1_000, aggregation: "last" } as const;
    return {
      buckets: new BucketStream([{ column, from: 0, to: 5_000_000 }], asked),
      granularity: 1_000,
      fill: undefined,
    };
  });
  const blocks = new RowBlocks(columns, { from: 0, to: 5_000_000 });
  const cells: (readonly (number | undefined)[])[] = [];
  for (let isDone = false; !isDone; ) {
    const { block, isLast } = blocks.next(() => false);
    isDone = isLast;
    for (let row = 0; row < block.count; row++) {
      const values = block.columns.map(({ presence, values }) =>
        presence[row] === 1 ? Number(values[row]) : undefined,
      );
      cells.push([block.times[row], ...values]);
    }
  }
  const known = new Set(gaps);
  expect(cells).toEqual(Array.from(everySecond, (at) => [at, at, known.has(at) ? at : undefined]));
});
