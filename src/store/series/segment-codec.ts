// Encodes columns as a segment and decodes them. Series of one device that are sent together share one column of times.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import type { Chunk, ChunkContent, Segment, StoredSegment, Stretch } from "./chunk.ts";
import { decodeBooleans, encodeBooleans } from "./codec/booleans.ts";
import { decodePresence, encodePresence } from "./codec/presence.ts";
import { decodeSections, encodeSections } from "./codec/sections.ts";
import { decodeTexts, encodeTexts } from "./codec/texts.ts";
import { areTimes, decodeTimes, encodeTimes } from "./codec/times.ts";
import { type Column, type ColumnValues, lowerBound } from "./column.ts";
import type { Scratch } from "./scratch.ts";
import { summarize } from "./summarize.ts";

/** A series counts as sparse when it has a value in fewer than one of this many rows. */
const SPARSE = 16;

export function encodeSegment(stretch: Stretch, columns: ReadonlyMap<number, Column>): StoredSegment {
  const times = unionOfTimes([...columns.values()]);
  const chunks = [...columns].map(([series, column]) => encodeChunk(stretch, times, { series, column }));
  return { segment: encodeRowTimes(stretch, times), chunks };
}

/** A segment whose rows have these times. */
export function encodeRowTimes({ device, start, span }: Stretch, times: Float64Array): Segment {
  return { device, start, span, rows: times.length, times: encodeTimes(times, times.length) };
}

/** A chunk of the segment whose rows have these times. All times of the column are among them. */
export function encodeChunk(
  { start, span }: Stretch,
  times: Float64Array,
  { series, column }: { readonly series: number; readonly column: Column },
): Chunk {
  return {
    series,
    start,
    span,
    ...summarize(column, start, span),
    presence: encodeRows(times, column),
    values: encodeValues(column),
  };
}

export function decodeSegmentTimes(segment: Pick<Segment, "rows" | "times">): Float64Array {
  const times = new Float64Array(segment.rows);
  decodeTimes(segment.times, times);
  return times;
}

interface Decodable extends ChunkContent {
  readonly summary: { readonly count: number };
}

interface DecodeOptions {
  /** Returns the times of the chunk's segment. */
  readonly times: () => Float64Array;
  /** Limits to points from one time to before another; all when not given. */
  readonly within?: { readonly from: number; readonly to: number };
  /** If given, the column is valid until this memory is used again. */
  readonly scratch?: Scratch;
}

export function decodeChunk(
  kind: Column["kind"],
  chunk: Decodable,
  { times: timesOf, within, scratch }: DecodeOptions,
): Column {
  const { count } = chunk.summary;
  const times = ownTimes(chunk, timesOf, scratch);
  const from = within === undefined ? 0 : lowerBound({ times, count }, within.from);
  const to = within === undefined ? count : lowerBound({ times, count }, within.to);
  const values = decodeValues(kind, chunk.values, { from, to, count, scratch });
  return { kind, count: to - from, times: times.subarray(from, to), values };
}

/** At least as many as the chunk has points. */
function ownTimes(
  { presence, summary: { count } }: Decodable,
  timesOf: () => Float64Array,
  scratch: Scratch | undefined,
): Float64Array {
  const times = areTimes(presence) ? undefined : timesOf();
  if (times?.length === count) return times;
  const own = scratch?.times(count) ?? new Float64Array(count);
  if (times === undefined) {
    decodeTimes(presence, own);
    return own;
  }
  const present = scratch?.presence(times.length) ?? new Uint8Array(times.length);
  decodePresence(presence, present);
  let at = 0;
  for (let row = 0; row < times.length; row++) if (present[row] === 1) own[at++] = times[row] ?? 0;
  return own;
}

function encodeValues({ kind, count, values }: Column): Uint8Array {
  if (kind === "number") return encodeSections(values as Float64Array, count);
  return kind === "boolean" ? encodeBooleans(values as Uint8Array, count) : encodeTexts(values as readonly string[]);
}

interface ValueRange {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly scratch: Scratch | undefined;
}

function decodeValues(kind: Column["kind"], bytes: Uint8Array, { from, to, count, scratch }: ValueRange): ColumnValues {
  if (kind === "number") {
    return decodeSections(bytes, { from, to, count }, (room) => scratch?.numbers(room) ?? new Float64Array(room));
  }
  if (kind === "text") return decodeTexts(bytes).slice(from, to);
  const flags = scratch?.flags(count) ?? new Uint8Array(count);
  decodeBooleans(bytes, flags);
  return flags.subarray(from, to);
}

/**
 * All times of the columns, each once, in order. Most columns have the same times, so the first one does most of the
 * work.
 */
export function unionOfTimes(columns: readonly Pick<Column, "times" | "count">[]): Float64Array {
  let union = new Float64Array(0);
  const seen = new Set<Float64Array>();
  for (const { times, count } of columns) {
    // Columns of one message share the same array of times.
    if (count === times.length) {
      if (seen.has(times)) continue;
      seen.add(times);
    }
    const own = times.subarray(0, count);
    if (isSubset(own, union)) continue;
    union = mergeTimes(union, own);
  }
  return union;
}

function isSubset(inner: Float64Array, outer: Float64Array): boolean {
  if (inner.length > outer.length) return false;
  let o = 0;
  for (let i = 0; i < inner.length; i++) {
    const time = inner[i] ?? 0;
    while (o < outer.length && (outer[o] ?? 0) < time) o++;
    if (outer[o] !== time) return false;
  }
  return true;
}

function mergeTimes(a: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const merged = new Float64Array(a.length + b.length);
  let [i, j, count] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const timeA = i < a.length ? (a[i] ?? 0) : Number.POSITIVE_INFINITY;
    const timeB = j < b.length ? (b[j] ?? 0) : Number.POSITIVE_INFINITY;
    merged[count++] = Math.min(timeA, timeB);
    if (timeA <= timeB) i++;
    if (timeB <= timeA) j++;
  }
  return merged.slice(0, count);
}

/** A series with few values has its own times, so that a reader need not read the times of all others. */
function encodeRows(times: Float64Array, column: Column): Uint8Array {
  if (column.count * SPARSE < times.length) return encodeTimes(column.times, column.count);
  return encodePresence(presenceOf(times, column), times.length);
}

function presenceOf(times: Float64Array, { times: own, count }: Column): Uint8Array {
  const present = new Uint8Array(times.length);
  if (count === times.length) return present.fill(1);
  let at = 0;
  for (let row = 0; row < times.length && at < count; row++) {
    if (times[row] === own[at]) {
      present[row] = 1;
      at++;
    }
  }
  return present;
}
