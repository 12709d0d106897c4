// The random queries must notice what could go wrong: each of these bugs is planted and has to be found.
import { afterEach, expect, test, vi } from "vitest";
import {
  type Faults,
  findDifference,
  findDifferenceInCounter,
  findDifferenceInDay,
  findDifferenceInIntegral,
  SeriesBench,
  sqliteBackend,
} from "../../../test/support/series-bench.ts";
import type { Changes, JournalRow } from "./chunk-store.ts";

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
  const openCursor: typeof real.openCursor = (source, walk) => {
    const isOneBucket = planted.bug === "summary" ? () => true : walk.isOneBucket;
    const fitsBuckets = planted.bug === "parts" ? () => true : walk.fitsBuckets;
    return real.openCursor(source, { ...walk, isOneBucket, fitsBuckets });
  };
  const lastBefore: typeof real.lastBefore = (source, reads, more) => {
    const lookBack = planted.bug === "look-around" ? (reads.lookBack ?? 0) - 1 : reads.lookBack;
    const from = planted.bug === "look-ahead" ? reads.from + 3_600_000 : reads.from;
    return real.lastBefore(source, { ...reads, from, lookBack }, more);
  };
  return { ...real, openCursor, lastBefore };
});

vi.mock("./parts.ts", async (load) => {
  const real = await load<typeof import("./parts.ts")>();
  const readHours: typeof real.readHours = (bytes, place, room) => {
    const field = real.readHours(bytes, place, room);
    const isCoarse = bytes[0] === 0x61 && planted.bug === "hours";
    return (name) => (isCoarse && name !== "start" ? field(name).map((value) => value + 1) : field(name));
  };
  const readHeld: typeof real.readHeld = (bytes, place, room) => {
    const field = real.readHeld(bytes, place, room);
    return (name) => {
      heldFields.add(`${place.held / 60_000} ${name}`);
      const isWrong = planted.bug === name;
      return isWrong ? field(name).map((value) => value + (name === "count" ? 1 : 1_000)) : field(name);
    };
  };
  return { ...real, readHours, readHeld };
});

vi.mock("./counter-delta.ts", async (load) => {
  const { CounterDelta: Real } = await load<typeof import("./counter-delta.ts")>();
  class CounterDelta extends Real {
    override takesParts(...given: Parameters<Real["takesParts"]>): boolean {
      const takes = super.takesParts(...given);
      tookParts ||= takes;
      return takes || planted.bug === "falls";
    }
  }
  type Real = InstanceType<typeof Real>;
  return { CounterDelta };
});
let tookParts = false;
const heldFields = new Set<string>();

vi.mock("./query.ts", async (load) => {
  const real = await load<typeof import("./query.ts")>();
  const reachOf: typeof real.reachOf = (item) => {
    const { before, after, replayed } = real.reachOf(item);
    const isBlind = planted.bug === `no ${item.aggregation}`;
    return {
      before: planted.bug === "no base" || isBlind ? 0 : before,
      after: isBlind ? 0 : after,
      replayed: planted.bug === "no base" || planted.bug === "no hour" ? 0 : replayed,
    };
  };
  return { ...real, reachOf };
});

vi.mock("#core/time/calendar.ts", async (load) => {
  const real = await load<typeof import("#core/time/calendar.ts")>();
  const calendarGrid: typeof real.calendarGrid = (calendar) => {
    const grid = real.calendarGrid(calendar);
    // The reference uses the right one.
    const isReference = new Error().stack?.includes("naive-answer") === true;
    if (planted.bug !== "calendar" || isReference) return grid;
    return { bucketAt: (at) => ({ start: grid.bucketAt(at).start, end: grid.bucketAt(at).end + 3_600_000 }) };
  };
  return { ...real, calendarGrid };
});

vi.mock("./times-cache.ts", async (load) => {
  const real = await load<typeof import("./times-cache.ts")>();
  const createTimesCache: typeof real.createTimesCache = (room) => {
    const cache = real.createTimesCache(room);
    let first: ReturnType<typeof cache.view> | undefined;
    return {
      view(view) {
        first ??= cache.view(view);
        return planted.bug === "stale times" ? first : cache.view(view);
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
  ["a delta or an integral does not see what was before its range", "no base", {}],
  ["a delta does not see the hour before its range", "no hour", {}],
  ["an integral does not see what comes after its range", "no integral", {}],
  ["a bucket of a calendar ends an hour late", "calendar", {}],
  ["what is still in memory is left out", "", { hot: () => [] }],
  ["late points in memory hide the sealed ones", "", { view: (view) => ({ ...view, nextChunks: () => [] }) }],
  [
    "a summary stands for a chunk of which only a part is in the range",
    "",
    {
      view: (view) => ({
        ...view,
        nextChunks: (reads, at) =>
          view.nextChunks(reads, at)?.map((chunk) => {
            const { firstAt, lastAt } = chunk.summary;
            const summary = { firstAt: Math.max(firstAt, at), lastAt: Math.min(lastAt, reads.to - 1) };
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
        findSegments: (device, from, to) => (to - from < 1e7 ? [] : store.findSegments(device, from, to)),
      }),
    },
  ],
  [
    "compaction or sealing loses a series",
    "",
    changing(({ segments, ...changes }) => ({
      ...changes,
      segments: (segments ?? []).map(({ segment, chunks }) => ({ segment, chunks: [...chunks].slice(0, 3) })),
    })),
  ],
  [
    "the journal is trimmed before everything is sealed",
    "",
    changing(({ trimBefore, ...changes }) => ({
      ...changes,
      ...(trimBefore !== undefined && { trimBefore: Number.MAX_SAFE_INTEGER }),
    })),
  ],
  ["a restart replays the journal without its newest row", "", replaying((rows) => rows.slice(0, -1))],
  ["a restart replays the journal in the wrong order", "", replaying((rows) => rows.toReversed())],
])("the random queries notice when %s", async (_, bug, faults) => {
  planted.bug = bug;
  let seed = 1;
  while (seed <= SEEDS && !(await isNoticed(seed, faults))) seed++;
  expect(seed, `noticed by seed ${seed}`).toBeLessThanOrEqual(SEEDS);
});

test("without a planted bug they notice nothing", async () => {
  for (let seed = 1; seed <= 10; seed++) expect(await isNoticed(seed, {})).toBe(false);
});

test("the queries of a dense day notice when its hours are not what its minutes say", async () => {
  expect(await findDifferenceInDay(sqliteBackend())).toBeUndefined();
  planted.bug = "hours";
  expect(await findDifferenceInDay(sqliteBackend())).toMatchObject({ question: expect.stringContaining("avg") });
});

test("the queries of a counter notice when parts stand for values that fall", async () => {
  tookParts = false;
  expect(await findDifferenceInCounter(await SeriesBench.open(sqliteBackend()))).toBeUndefined();
  expect(tookParts).toBe(true);
  planted.bug = "falls";
  expect(await findDifferenceInCounter(await SeriesBench.open(sqliteBackend()))).toBeDefined();
});

test.each(["", "lastAt", "count", "heldRest", "above", "sign"])(
  "the queries of a dense integral notice a wrong field of its parts: %s",
  async (field) => {
    heldFields.clear();
    planted.bug = field;
    const found = await findDifferenceInIntegral(await SeriesBench.open(sqliteBackend()));
    if (field !== "") {
      expect(found).toBeDefined();
      return;
    }
    expect(found).toBeUndefined();
    expect(["15 held", "15 below", "60 held", "60 above"].filter((one) => !heldFields.has(one))).toEqual([]);
  },
);

function changing(change: (changes: Changes) => Changes): Faults {
  return { store: (store) => ({ ...store, commit: (changes) => store.commit(change(changes)) }) };
}

function replaying(change: (rows: readonly JournalRow[]) => readonly JournalRow[]): Faults {
  return {
    store: (store) => ({
      ...store,
      async *journal(onDamaged) {
        yield* change(await Array.fromAsync(store.journal(onDamaged)));
      },
    }),
  };
}

/** A crash is as good a sign as a wrong cell. */
async function isNoticed(seed: number, faults: Faults): Promise<boolean> {
  try {
    return (await findDifference(seed, sqliteBackend(), faults)) !== undefined;
  } catch {
    return true;
  }
}
