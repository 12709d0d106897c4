// Finished buckets, kept in memory: dashboards ask the same question every few seconds with a later end, and what a bucket of
// the past shows changes only when its points do. Buckets are kept by stretches of time. The store counts the changes of
// each stretch, and what was kept under another count is not used again.
import type { SeriesItem } from "./query.ts";

/** Every bucket in [from, to), which are borders of buckets. Those that are not listed are empty. */
export interface FinishedBuckets {
  readonly from: number;
  readonly to: number;
  readonly starts: Float64Array;
  readonly numbers: Float64Array;
}

interface Kept extends FinishedBuckets {
  readonly changes: number;
  readonly bytes: number;
}

export interface FinishedCache {
  /** Whether what is computed is to be kept. */
  readonly isKeeping: boolean;
  /** Undefined when nothing is known, or when the stretch has changed since. */
  find(column: string, stretch: number, changes: number): FinishedBuckets | undefined;
  /** Joins them with those that they touch; otherwise the newer ones take the place of the others. */
  keep(column: string, stretch: number, changes: number, buckets: FinishedBuckets): void;
}

/** An entry without its buckets: the key and the objects. */
const ENTRY_BYTES = 400;

/** Keeps the most recently used ones, up to `room` bytes. `onUse` is told how many bytes there are. */
export function createFinishedCache(room: number, onUse: (bytes: number) => void = () => {}): FinishedCache {
  const kept = new Map<string, Kept>();
  let used = 0;
  const drop = (key: string): Kept | undefined => {
    const entry = kept.get(key);
    if (entry === undefined) return undefined;
    kept.delete(key);
    used -= entry.bytes;
    return entry;
  };
  const put = (key: string, entry: Kept) => {
    kept.set(key, entry);
    used += entry.bytes;
    for (const oldest of kept.keys()) {
      if (used <= room) break;
      drop(oldest);
    }
    onUse(used);
  };
  return {
    isKeeping: true,
    find(column, stretch, changes) {
      const key = `${column}/${stretch}`;
      const entry = drop(key);
      if (entry === undefined || entry.changes !== changes) return undefined;
      // The map is in the order of use.
      kept.set(key, entry);
      used += entry.bytes;
      return entry;
    },
    keep(column, stretch, changes, buckets) {
      const key = `${column}/${stretch}`;
      const before = drop(key);
      const joined = before?.changes === changes ? join(before, buckets) : buckets;
      put(key, { ...joined, changes, bytes: ENTRY_BYTES + 16 * joined.starts.length });
    },
  };
}

function join(one: FinishedBuckets, other: FinishedBuckets): FinishedBuckets {
  const [first, second] = one.from <= other.from ? [one, other] : [other, one];
  if (first.to !== second.from) return other;
  return {
    from: first.from,
    to: second.to,
    starts: concat(first.starts, second.starts),
    numbers: concat(first.numbers, second.numbers),
  };
}

function concat(one: Float64Array, other: Float64Array): Float64Array {
  const all = new Float64Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

/** Names everything that the buckets of a column depend on, except for the points. */
export function columnKey({ series, aggregation, granularityMs, calendar, counter }: SeriesItem): string {
  const grid = calendar === undefined ? granularityMs : `${calendar.unit} ${calendar.timezone}`;
  return `${series}/${aggregation}/${grid}/${counter?.maxPerHour ?? ""}`;
}
