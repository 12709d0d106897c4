// Walks one series through time: sealed chunks and hot columns form one sequence, and each point comes once.
//
// The hot columns are taken before the first chunk is read. Points only move from memory into chunks, so a point that
// is missing in one is in the other, and a point in both is the same point.
import type { Scalar } from "./batch.ts";
import type { ChunkHead, ChunkReader, Summary } from "./chunk-store.ts";
import { type Column, lowerBound, mergeColumns, valueAt } from "./column.ts";
import { type PartField, readParts } from "./parts.ts";
import { giveBack, type Scratch, takeScratch } from "./scratch.ts";
import { decodeChunk } from "./segment-codec.ts";

/** A stretch of the series in [from, to): its summary alone when that is enough, else those of its parts, else its points. */
export type Piece =
  | { readonly summary: Summary }
  | { readonly parts: (field: PartField) => Float64Array; readonly from: number; readonly to: number }
  | { readonly column: Column; readonly from: number; readonly to: number };

export interface CursorSource {
  readonly reader: ChunkReader;
  /** A new value for each view of the store: what was read in an earlier view is no longer valid. */
  readonly view: () => object;
  /** Times of a segment, decoded once for all series of the device. */
  readonly times: (device: number, start: number) => Float64Array;
}

interface Walk {
  readonly series: number;
  readonly device: number;
  readonly kind: Column["kind"];
  readonly from: number;
  readonly to: number;
  readonly hot: readonly Column[];
  /** Whether summaries can replace the points of a chunk, whatever buckets are requested. */
  readonly summarizes: (summary: Summary) => boolean;
  /** Whether a chunk that lies entirely inside [from, to) may be answered by its summary. */
  readonly isOneBucket: (firstAt: number, lastAt: number) => boolean;
  /** Whether every part of this length lies in one bucket. */
  readonly fitsBuckets: (grain: number) => boolean;
}

/** What part of a chunk is requested, and how to read it. */
interface Cut extends Walk {
  readonly source: CursorSource;
  readonly scratch: Scratch;
}

/** Each piece is valid until the next one is requested. */
export function* walkColumn(source: CursorSource, walk: Walk): Iterable<Piece> {
  const scratch = takeScratch();
  yield* walkPieces(source, walk, scratch);
  giveBack(scratch);
}

function* walkPieces(source: CursorSource, walk: Walk, scratch: Scratch): Iterable<Piece> {
  const { from, to } = walk;
  const chunks = chunkQueue(source, walk);
  let hot = walk.hot.filter((column) => overlaps(column, from, to));
  let at = from;
  while (at < to) {
    const chunk = chunks(at);
    const [first] = hot;
    // Hot columns that end before the next chunk begins stand alone.
    if (first !== undefined && (chunk === undefined || lastTime(first) < chunk.start)) {
      yield { column: first, from: at, to };
      at = Math.max(at, lastTime(first) + 1);
      hot = hot.slice(1);
      continue;
    }
    if (chunk === undefined) return;
    const end = chunk.start + chunk.span;
    const late = hot.filter((column) => firstTime(column) < end);
    hot = hot.filter((column) => firstTime(column) >= end);
    yield* piecesOf(chunk, late, { ...walk, from: at, source, scratch });
    at = Math.max(end, ...late.map((column) => lastTime(column) + 1));
  }
}

/** Returns the first chunk that ends after a time; the times must rise. Reads several chunks at once. */
function chunkQueue({ reader, view }: CursorSource, { series, to }: Walk): (at: number) => ChunkHead | undefined {
  let read: readonly ChunkHead[] = [];
  let next = 0;
  let readIn: object | undefined;
  return (at) => {
    const endsBefore = ({ start, span }: ChunkHead) => start + span <= at;
    for (let head = read[next]; head !== undefined && endsBefore(head); head = read[next]) next++;
    if (next >= read.length || readIn !== view()) {
      read = reader.nextChunks(series, at, to);
      next = 0;
      readIn = view();
    }
    return read[next];
  };
}

/** Uses the summary of the chunk, or those of its parts. Where a border cuts a part, it uses the points there. */
function* piecesOf(chunk: ChunkHead, late: readonly Column[], cut: Cut): Iterable<Piece> {
  const { summary, grain, start, span } = chunk;
  const { from, to, summarizes, isOneBucket, fitsBuckets, source, scratch } = cut;
  if (late.length > 0 || !summarizes(summary)) {
    yield pointsOf(chunk, late, cut);
    return;
  }
  if (summary.firstAt >= from && summary.lastAt < to && isOneBucket(summary.firstAt, summary.lastAt)) {
    yield { summary };
    return;
  }
  const inner = {
    from: from <= start ? from : Math.ceil(from / grain) * grain,
    to: to >= start + span ? to : Math.floor(to / grain) * grain,
  };
  if (grain === 0 || !fitsBuckets(grain) || inner.from >= inner.to) {
    yield pointsOf(chunk, late, cut);
    return;
  }
  if (from < inner.from) yield pointsOf(chunk, late, { ...cut, to: inner.from });
  yield { parts: readParts(source.reader.parts(chunk), chunk, scratch.part), ...inner };
  if (inner.to < to) yield pointsOf(chunk, late, { ...cut, from: inner.to });
}

function pointsOf(chunk: ChunkHead, late: readonly Column[], { device, kind, from, to, source, scratch }: Cut): Piece {
  const content = { summary: chunk.summary, ...source.reader.content(chunk) };
  const times = () => source.times(device, chunk.start);
  let column = decodeChunk(kind, content, { times, within: { from, to }, scratch });
  for (const one of late) column = mergeColumns(column, one);
  return { column, from, to };
}

/** The last value in [from, before), or undefined. */
export function lastBefore(
  source: CursorSource,
  walk: Pick<Walk, "series" | "device" | "kind" | "hot">,
  { from, before }: { readonly from: number; readonly before: number },
): Scalar | undefined {
  let best: { readonly at: number; readonly value: Scalar } | undefined;
  const consider = (at: number, value: Scalar) => {
    if (at >= from && (best === undefined || at >= best.at)) best = { at, value };
  };
  const considerColumn = (column: Column) => {
    const index = lowerBound(column, before) - 1;
    if (index >= 0) consider(column.times[index] ?? 0, valueAt(column, index));
  };
  for (let at = before; ; ) {
    const chunk = source.reader.lastChunk(walk.series, at);
    if (chunk === undefined || chunk.start + chunk.span <= from) break;
    const { firstAt, lastAt, last } = chunk.summary;
    if (lastAt < before) {
      consider(lastAt, last);
      break;
    }
    if (firstAt < before) {
      const content = { summary: chunk.summary, ...source.reader.content(chunk) };
      const times = () => source.times(walk.device, chunk.start);
      considerColumn(decodeChunk(walk.kind, content, { times, within: { from, to: before } }));
      break;
    }
    at = chunk.start;
  }
  // Hot columns come last: at the same time the point in memory is the later write.
  for (const column of walk.hot) considerColumn(column);
  return best?.value;
}

function overlaps(column: Column, from: number, to: number): boolean {
  return column.count > 0 && firstTime(column) < to && lastTime(column) >= from;
}

function firstTime({ times }: Column): number {
  return times[0] ?? 0;
}

function lastTime({ times, count }: Column): number {
  return times[count - 1] ?? 0;
}
