// The random queries must notice what could go wrong: each of these bugs is planted and has to be found.
import { afterEach, expect, test, vi } from "vitest";
import { type Faults, findDifference } from "../../../test/support/series-bench.ts";

const planted = vi.hoisted(() => ({ bug: "" }));

vi.mock("./column.ts", async (load) => {
  const real = await load<typeof import("./column.ts")>();
  const mergeColumns: typeof real.mergeColumns = (earlier, later) =>
    planted.bug === "merge" ? real.mergeColumns(later, earlier) : real.mergeColumns(earlier, later);
  const lowerBound: typeof real.lowerBound = (column, time) =>
    real.lowerBound(column, planted.bug === "border" ? time + 1 : time);
  return { ...real, mergeColumns, lowerBound };
});

vi.mock("./column-cursor.ts", async (load) => {
  const real = await load<typeof import("./column-cursor.ts")>();
  const walkColumn: typeof real.walkColumn = (source, walk) => {
    const isOneBucket = planted.bug === "summary" ? () => true : walk.isOneBucket;
    const fitsBuckets = planted.bug === "parts" ? () => true : walk.fitsBuckets;
    return real.walkColumn(source, { ...walk, isOneBucket, fitsBuckets });
  };
  const lastBefore: typeof real.lastBefore = (source, walk, { from, before }) => {
    if (planted.bug === "look-around") return real.lastBefore(source, walk, { from: from - 1, before });
    return real.lastBefore(source, walk, { from, before: planted.bug === "look-ahead" ? before + 3_600_000 : before });
  };
  return { ...real, walkColumn, lastBefore };
});

vi.mock("./times-cache.ts", async (load) => {
  const real = await load<typeof import("./times-cache.ts")>();
  const createTimesCache: typeof real.createTimesCache = (room) => {
    const cache = real.createTimesCache(room);
    let first: ReturnType<typeof cache.view> | undefined;
    return {
      view(reader) {
        first ??= cache.view(reader);
        return planted.bug === "stale times" ? first : cache.view(reader);
      },
    };
  };
  return { createTimesCache };
});

afterEach(() => {
  planted.bug = "";
});

const SEEDS = 150;

test.each<[string, string, Faults]>([
  ["of two writes the earlier one wins when they are merged", "merge", {}],
  ["a bucket's border is a millisecond off", "border", {}],
  ["a summary stands for a chunk that lies in several buckets", "summary", {}],
  ["a summary stands for a part of a chunk that lies in several buckets", "parts", {}],
  ["times of a segment are kept although it was written anew", "stale times", {}],
  ["the look-around reaches a millisecond too far", "look-around", {}],
  ["the look-around reaches into the range", "look-ahead", {}],
  ["what is still in memory is left out", "", { hot: () => [] }],
  ["late points in memory hide the sealed ones", "", { reader: (reader) => ({ ...reader, nextChunks: () => [] }) }],
  [
    "a summary stands for a chunk of which only a part is in the range",
    "",
    {
      reader: (reader) => ({
        ...reader,
        nextChunks: (series, at, before) =>
          reader.nextChunks(series, at, before).map((chunk) => {
            const { firstAt, lastAt } = chunk.summary;
            const summary = { firstAt: Math.max(firstAt, at), lastAt: Math.min(lastAt, before - 1) };
            return { ...chunk, summary: { ...chunk.summary, ...summary } };
          }),
      }),
    },
  ],
  [
    "a late hour overwrites its segment",
    "",
    {
      store: (store) => ({
        ...store,
        segments: (device, from, to) => (to - from < 1e7 ? [] : store.segments(device, from, to)),
      }),
    },
  ],
  [
    "compaction or sealing loses a series",
    "",
    {
      store: (store) => ({
        ...store,
        putSegment: (segment, chunks) => store.putSegment(segment, chunks.slice(0, 3)),
      }),
    },
  ],
  [
    "the journal is trimmed before everything is sealed",
    "",
    { store: (store) => ({ ...store, trimJournal: () => store.trimJournal(Number.MAX_SAFE_INTEGER) }) },
  ],
  [
    "a restart replays the journal without its newest row",
    "",
    { store: (store) => ({ ...store, journal: (note) => [...store.journal(note)].slice(0, -1) }) },
  ],
  [
    "a restart replays the journal in the wrong order",
    "",
    { store: (store) => ({ ...store, journal: (note) => [...store.journal(note)].reverse() }) },
  ],
])("the random queries notice when %s", (_, bug, faults) => {
  planted.bug = bug;
  let seed = 1;
  while (seed <= SEEDS && !isNoticed(seed, faults)) seed++;
  expect(seed, `noticed by seed ${seed}`).toBeLessThanOrEqual(SEEDS);
});

test("without a planted bug they notice nothing", () => {
  for (let seed = 1; seed <= 10; seed++) expect(isNoticed(seed, {})).toBe(false);
});

/** A crash is as good a sign as a wrong cell. */
function isNoticed(seed: number, faults: Faults): boolean {
  try {
    return findDifference(seed, faults) !== undefined;
  } catch {
    return true;
  }
}
