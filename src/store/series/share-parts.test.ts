import { expect, test } from "vitest";
import type { ChunkHead } from "./chunk.ts";
import type { ChunkView } from "./chunk-reader.ts";
import { sharedSeries, shareParts } from "./share-parts.ts";

const never = () => {
  throw new Error("only parts are read");
};
const head = (series: number, start: number): ChunkHead => ({
  series,
  start,
  span: 10,
  grain: 1,
  held: 0,
  summary: { count: 1, firstAt: 0, lastAt: 0, first: 0, last: 0, sum: { high: 0, low: 0 }, min: 0, max: 0 },
});

/** A view whose parts take 10 bytes each and say whose they are; notes what is read of it. */
function createView() {
  const read: string[] = [];
  const view: ChunkView = {
    nextChunks: never,
    lastChunks: never,
    content: never,
    segment: never,
    parts({ series, start }) {
      read.push(`${series}/${start}`);
      return new Uint8Array(10).fill(series * 10 + start);
    },
  };
  return { view, read };
}

test.each([
  [[1, 2, 3], []],
  [
    [1, 2, 1, 3, 3, 3, undefined, undefined],
    [1, 3],
  ],
])("of the items %j several ask for %j", (series, expected) => {
  expect([...sharedSeries(series.map((one) => ({ series: one })))]).toEqual(expected);
});

test("parts of a series that several columns read are read once, and each is its own", () => {
  const { view, read } = createView();
  const shared = shareParts(view, new Set([1, 2]));
  const asked = [head(1, 1), head(1, 2), head(2, 1), head(3, 1), head(1, 1), head(1, 2), head(2, 1), head(3, 1)];
  expect(asked.map((one) => shared.parts(one)[0])).toEqual([11, 12, 21, 31, 11, 12, 21, 31]);
  expect(read).toEqual(["1/1", "1/2", "2/1", "3/1", "3/1"]);
});

test("no more is kept than there is room for, and the oldest goes first", () => {
  const { view, read } = createView();
  const shared = shareParts(view, new Set([1]), 25);
  for (const start of [1, 2, 3, 2, 3, 1]) expect(shared.parts(head(1, start))[0]).toBe(10 + start);
  expect(read).toEqual(["1/1", "1/2", "1/3", "1/1"]);
});
