import { expect, test } from "vitest";
import type { TimeseriesQuestion } from "#client/resources.ts";
import { readHistory } from "./history.ts";

const A = { device: "d", attribute: "a", aggregation: "avg" } as const;
const grid = { from: 600_000, to: 1_800_000, bucketMs: 300_000 };

test("values land on the grid, and what is missing stays unknown", async () => {
  const ask = async () =>
    (async function* () {
      yield new TextEncoder().encode("ts,a\n600,1\n1500,4\n");
    })();
  const history = await readHistory(ask, [A], grid);
  expect(history.times).toEqual([600_000, 900_000, 1_200_000, 1_500_000]);
  expect(history.column(A)).toEqual([1, undefined, undefined, 4]);
  expect(history.column({ ...A, aggregation: "delta" })).toBeUndefined();
});

test("many attributes are several questions of ten, and nothing is asked twice", async () => {
  const asked: TimeseriesQuestion[] = [];
  const wanted = Array.from({ length: 25 }, (_, index) => ({
    device: "d",
    attribute: `a${index % 23}`,
    aggregation: "avg" as const,
  }));
  await readHistory(
    async (question) => {
      asked.push(question);
      return (async function* () {})();
    },
    wanted,
    grid,
  );
  expect(asked.map(({ telemetry }) => telemetry.length)).toEqual([10, 10, 3]);
  expect(asked[0]).toMatchObject({ from: 600, to: 1800, granularity: "300s" });
});
