// Walks one series through time: sealed chunks and hot columns form one sequence, and each point comes once.
//
// The hot columns are taken before the first chunk is read. Points only move from memory into chunks, so a point that
// is missing in one is in the other, and a point in both is the same point.
import { itemAt } from "#core/item-at.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import type { Scalar } from "./batch.ts";
import type { ChunkHead, Summary } from "./chunk.ts";
import { CHANGES_MS, type ChunkView, type SeriesReads } from "./chunk-reader.ts";
import { type Column, lowerBound, mergeColumns, valueAt } from "./column.ts";
import { hasHeld, type PartField, readLevel } from "./part-levels.ts";
import { readHeld, readHours, readParts } from "./parts.ts";
import { giveBack, type Scratch, takeScratch } from "./scratch.ts";
import { decodeChunk } from "./segment-codec.ts";

/** A stretch of the series in [from, to): its summary alone when that is enough, else those of its parts, else its points. */
export type Piece =
  | { readonly summary: Summary }
  | PartsPiece
  | { readonly column: Column; readonly from: number; readonly to: number }
  | typeof NOT_YET;

interface PartsPiece {
  readonly parts: (field: PartField) => Float64Array;
  readonly from: number;
  readonly to: number;
  /** Where parts may not suffice: the last time of the chunk, and the same stretch in more detail. */
  readonly tried?: { readonly lastAt: number; readonly instead: () => Piece };
}

/** The view has no more chunks of the series, but the next one will. */
export const NOT_YET = "not yet";

/** What the cursors of a query read from. Each view of the store brings a new value. */
export interface CursorSource {
  current: {
    readonly view: ChunkView;
    /** Times of a segment, decoded once for all series of the device. */
    readonly times: (device: number, start: number) => Float64Array;
  };
}

export interface Walk {
  readonly series: number;
  readonly device: number;
  readonly kind: Column["kind"];
  readonly from: number;
  readonly to: number;
  readonly lookBack: number | undefined;
  readonly hot: readonly Column[];
  /** Whether summaries can replace the points of a chunk, whatever buckets are requested. */
  readonly summarizes: (summary: Summary) => boolean;
  /** Whether a chunk that lies entirely inside [from, to) may be answered by its summary. */
  readonly isOneBucket: (firstAt: number, lastAt: number) => boolean;
  /** Whether every part of this length lies in one bucket, of the parts of a stretch of time. */
  readonly fitsBuckets: (grain: number, from: number, to: number) => boolean;
  /** Whether parts, of whole chunks only, may turn out not to suffice: then the points are read, too. */
  readonly triesParts: boolean;
  /** Integrals use parts of their own, and none at or after this time; undefined: it is no integral. */
  readonly heldUntil: number | undefined;
}

/** What part of a chunk is requested. */
interface Cut extends Walk {
  /** Hot columns that have points in the chunk's stretch. */
  readonly late: readonly Column[];
}

export interface ColumnCursor {
  readonly reads: SeriesReads;
  /** Each piece is valid until the next one is requested. */
  readonly pieces: Iterable<Piece>;
}

export function openCursor(source: CursorSource, walk: Walk): ColumnCursor {
  const { series, device, from, to, lookBack } = walk;
  const place: Place = { at: from, unjoined: undefined, hot: walk.hot.filter((column) => overlaps(column, from, to)) };
  const reads: SeriesReads = {
    series,
    device,
    from,
    to,
    lookBack,
    get at() {
      return place.at;
    },
    wanted: (head) => wantedOf(head, walk, place),
  };
  return { reads, pieces: walkColumn(source, reads, { walk, place }) };
}

/** How far a cursor has come. */
interface Place {
  at: number;
  /** The last stretch whose joined summaries do not suffice. */
  unjoined: number | undefined;
  /** The hot columns that are left. */
  hot: readonly Column[];
}

interface Step {
  readonly walk: Walk;
  readonly place: Place;
  readonly scratch: Scratch;
}

/** The place is behind each piece when the piece is given, so a piece never depends on what an earlier view had. */
function* walkColumn(
  source: CursorSource,
  reads: SeriesReads,
  { walk, place }: Omit<Step, "scratch">,
): Iterable<Piece> {
  const scratch = takeScratch();
  const step = { walk, place, scratch };
  const chunks = chunkQueue(source, reads);
  while (place.at < walk.to) {
    const joined = joinedPiece(source.current.view, step);
    if (joined !== undefined) {
      yield joined;
      continue;
    }
    const chunk = chunks(place.at);
    const [first] = place.hot;
    if (chunk === NOT_YET) yield NOT_YET;
    // Hot columns that end before the next chunk begins stand alone.
    else if (first !== undefined && (chunk === undefined || lastTime(first) < chunk.start)) {
      const from = place.at;
      place.at = Math.max(from, lastTime(first) + 1);
      place.hot = place.hot.slice(1);
      yield { column: first, from, to: walk.to };
    } else if (chunk === undefined) break;
    else yield nextPiece(source.current, chunk, step);
  }
  giveBack(scratch);
}

/** With fewer days than this there is not much to save. */
const LEAST_JOINED_MS = 2 * DAY_MS;
/** Of every joined day the sum is finite. */
const ANY_DAY: Summary = {
  count: 1,
  firstAt: 0,
  lastAt: 0,
  first: 0,
  last: 0,
  sum: { high: 0, low: 0 },
  min: 0,
  max: 1,
};

/** Days, or hours, of many chunks at once. Moves the place behind the piece. */
function joinedPiece(view: ChunkView, { walk, place, scratch }: Step): PartsPiece | undefined {
  const stretch = Math.floor(place.at / CHANGES_MS);
  if (view.joined === undefined || place.unjoined === stretch) return undefined;
  const isHeld = walk.heldUntil !== undefined;
  const start = stretch * CHANGES_MS;
  const end = Math.min(walk.to, walk.heldUntil ?? walk.to, start + CHANGES_MS);
  const fits = (grain: number) => walk.fitsBuckets(grain, start, start + CHANGES_MS);
  const isDays = !isHeld && fits(DAY_MS);
  const grain = isDays ? DAY_MS : HOUR_MS;
  const to = Math.floor(end / grain) * grain;
  const isLate = place.hot.some((column) => overlaps(column, place.at, to));
  const isUsable =
    walk.kind === "number" &&
    !walk.triesParts &&
    (isHeld || walk.summarizes(ANY_DAY)) &&
    (isDays || fits(HOUR_MS)) &&
    !isLate;
  if (isUsable && to - place.at >= LEAST_JOINED_MS) {
    // The day in which the range begins is read from its chunk.
    if (place.at % grain !== 0) return undefined;
    const bytes = view.joined(walk.series, stretch, isDays ? "days" : "hours");
    if (bytes !== undefined && (!isHeld || hasHeld(bytes))) {
      const from = place.at;
      place.at = to;
      return { parts: readLevel(bytes, { start, grain }, scratch.part), from, to };
    }
  }
  place.unjoined = stretch;
  return undefined;
}

/** The hot columns that have points in the chunk's stretch. */
function lateColumns(chunk: ChunkHead, { hot }: Place): readonly Column[] {
  return hot.filter((column) => firstTime(column) < endOf(chunk) && lastTime(column) >= chunk.start);
}

/** Returns the first chunk that ends after a time; the times must rise. Reads several chunks at once. */
function chunkQueue(source: CursorSource, reads: SeriesReads): (at: number) => ChunkHead | undefined | typeof NOT_YET {
  let read: readonly ChunkHead[] = [];
  let next = 0;
  let readIn: object | undefined;
  return (at) => {
    for (let head = read[next]; head !== undefined && endOf(head) <= at; head = read[next]) next++;
    if (next >= read.length || readIn !== source.current) {
      const found = source.current.view.nextChunks(reads, at);
      if (found === undefined) return NOT_YET;
      read = found;
      next = 0;
      readIn = source.current;
    }
    return read[next];
  };
}

/** What answers for the points of a chunk: its summary, the points, or the parts in a range and the points around it. */
type Answer = "summary" | "points" | { readonly from: number; readonly to: number };

function answerOf(
  { summary, grain: own, held, start, span }: ChunkHead,
  { from, to, late, summarizes, isOneBucket, fitsBuckets, triesParts, heldUntil }: Cut,
): Answer {
  const { firstAt, lastAt } = summary;
  const isSummarized = summarizes(summary);
  const isHeld = heldUntil !== undefined;
  if (late.length > 0 || (!isSummarized && !triesParts && !isHeld)) return "points";
  if (isSummarized && firstAt >= from && lastAt < to && isOneBucket(firstAt, lastAt)) return "summary";
  const grain = isHeld ? held : own;
  if (grain === 0 || !fitsBuckets(grain, start, start + span)) return "points";
  const end = isHeld ? Math.min(to, heldUntil) : to;
  const inner = {
    from: from <= start ? from : Math.ceil(from / grain) * grain,
    to: end >= start + span ? to : Math.floor(end / grain) * grain,
  };
  return inner.from >= inner.to ? "points" : inner;
}

/** Names everything that `nextPiece` and `lastBefore` will read of the chunk. */
function wantedOf(head: ChunkHead, walk: Walk, place: Place): ReturnType<SeriesReads["wanted"]> {
  if (endOf(head) <= place.at || head.start >= walk.to) return { parts: false, content: false };
  const cut = { ...walk, from: place.at, late: lateColumns(head, place) };
  const answer = answerOf(head, cut);
  if (typeof answer === "string") return { parts: false, content: answer === "points" };
  // The last value before the range may be in the middle of the chunk.
  const isLookedBack = walk.lookBack !== undefined && head.summary.firstAt < walk.from;
  return { parts: true, content: walk.triesParts || isLookedBack || cut.from < answer.from || answer.to < cut.to };
}

/** Moves the place behind the piece. */
function nextPiece(current: CursorSource["current"], chunk: ChunkHead, step: Step): Piece {
  const { walk, place, scratch } = step;
  const from = place.at;
  const late = lateColumns(chunk, place);
  const answer = answerOf(chunk, { ...walk, from, late });
  if (typeof answer === "string") {
    place.at = Math.max(endOf(chunk), ...late.map((column) => lastTime(column) + 1));
    place.hot = place.hot.filter((column) => !late.includes(column));
    if (answer === "summary") return { summary: chunk.summary };
    return pointsOf(current, chunk, { ...step, from, to: walk.to, late });
  }
  if (from < answer.from) {
    place.at = answer.from;
    return pointsOf(current, chunk, { ...step, from, to: answer.from, late });
  }
  place.at = Math.min(answer.to, endOf(chunk));
  // Hours make up the whole chunk: a border of the range may lie within one of them.
  const isWhole = answer.from <= chunk.start && answer.to >= endOf(chunk);
  const bytes = current.view.parts(chunk);
  const readFine = walk.heldUntil === undefined ? readParts : readHeld;
  const fine = (): Piece => ({ parts: readFine(bytes, chunk, scratch.part), ...answer, ...(tried && { tried }) });
  const points = () => pointsOf(current, chunk, { ...step, from, to: walk.to, late });
  const { lastAt } = chunk.summary;
  const tried = walk.triesParts ? { lastAt, instead: points } : undefined;
  if (!isWhole || !walk.fitsBuckets(HOUR_MS, chunk.start, endOf(chunk))) return fine();
  const hours = readHours(bytes, chunk, scratch.part);
  return { parts: hours, ...answer, ...(tried && { tried: { lastAt, instead: fine } }) };
}

function pointsOf(
  { view, times: timesOf }: CursorSource["current"],
  chunk: ChunkHead,
  { walk, from, to, late, scratch }: Step & Pick<Cut, "from" | "to" | "late">,
): Piece {
  const content = { summary: chunk.summary, ...view.content(chunk) };
  const times = () => timesOf(walk.device, chunk.start);
  let column = decodeChunk(walk.kind, content, { times, within: { from, to }, scratch });
  for (const one of late) column = mergeColumns(column, one);
  return { column, from, to };
}

export interface LastPoint {
  readonly at: number;
  readonly value: Scalar;
}

/** The last point in [reads.lookBack, reads.from), or undefined. */
export function lastBefore(
  { current: { view, times: timesOf } }: CursorSource,
  reads: SeriesReads,
  { kind, hot }: Pick<Walk, "kind" | "hot">,
): LastPoint | undefined {
  const { device, from: before, lookBack: from = before } = reads;
  let best: LastPoint | undefined;
  const consider = (at: number, value: Scalar) => {
    if (at >= from && (best === undefined || at >= best.at)) best = { at, value };
  };
  const considerColumn = (column: Column) => {
    const index = lowerBound(column, before) - 1;
    if (index >= 0) consider(itemAt(column.times, index), valueAt(column, index));
  };
  // If the last chunk has points from `before` on only, the one before it has the last value.
  for (const chunk of view.lastChunks(reads)) {
    const { firstAt, lastAt, last } = chunk.summary;
    if (endOf(chunk) <= from) break;
    if (lastAt < before) {
      consider(lastAt, last);
      break;
    }
    if (firstAt < before) {
      const content = { summary: chunk.summary, ...view.content(chunk) };
      const times = () => timesOf(device, chunk.start);
      considerColumn(decodeChunk(kind, content, { times, within: { from, to: before } }));
      break;
    }
  }
  // Hot columns come last: at the same time the point in memory is the later write.
  for (const column of hot) considerColumn(column);
  return best;
}

function endOf({ start, span }: ChunkHead): number {
  return start + span;
}

function overlaps(column: Column, from: number, to: number): boolean {
  return column.count > 0 && firstTime(column) < to && lastTime(column) >= from;
}

function firstTime({ times }: Column): number {
  return itemAt(times, 0);
}

function lastTime({ times, count }: Column): number {
  return itemAt(times, count - 1);
}
