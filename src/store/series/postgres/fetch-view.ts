// What a query reads of chunks in PostgreSQL, as a view that needs no further reads.
//
// Usually this takes one round trip: the heads of all chunks come with what the query would need of a usual chunk. If it
// needs something else, or more bytes than are sent on a guess, it takes three, in one transaction.

import type { Client } from "pg";
import { DAY_MS } from "#core/time/hour.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { ChunkContent, ChunkHead, Segment } from "#store/series/chunk.ts";
import type { ChunkView, SeriesReads, StoreState } from "#store/series/chunk-reader.ts";
import { areTimes } from "#store/series/codec/times.ts";
import { QUARTER_MS } from "#store/series/held-parts.ts";
import { partitionOf } from "#store/series/shared-store.ts";
import { type BinaryRow, copyRows, readBytes, readInteger } from "./copy-rows.ts";
import { hasReached } from "./has-reached.ts";
import { LONGEST_SPAN_MS, readContent, readHead, readParts, readSegment } from "./rows.ts";

/** Heads that a view has, of all series together. */
const VIEW_HEADS = 4_000;
/** Bytes that a view fetches at most; the first chunk in time comes always. */
const VIEW_BYTES = 8 * 1024 * 1024;
/** Bytes of values, and of times, that are sent on a guess. */
const GUESSED_BYTES = 2 * 1024 * 1024;

export async function fetchView(
  { client, isSpread }: Asking,
  reads: readonly SeriesReads[],
  isFirst: boolean,
): Promise<ChunkView> {
  const asked = askedOf(reads, isFirst);
  const guessed = parseView(asked, await fetchGuessed({ client, isSpread }, reads, isFirst));
  if (guessed.isEnough) return createView({ ...asked, ...guessed, fitting: guessed.all, isCut: false });
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    const found = parseView(asked, await viewRows({ client, isSpread }, asked, () => 0));
    const { fitting, isCut } = withinBytes(found.all);
    const pieces = await fetchPieces({ client, isSpread }, [...fitting, ...found.before]);
    return createView({ ...asked, ...found, fitting, isCut, pieces });
  } finally {
    // The answer to this is awaited by nobody; the next statement comes after it anyway.
    void client.query("COMMIT").catch(() => {});
  }
}

/** The rows of a view that has what a query usually needs. They depend on ranges only, and not on what is unsealed. */
export function fetchGuessed(
  { client, isSpread }: Asking,
  reads: readonly SeriesReads[],
  isFirst: boolean,
): Promise<readonly BinaryRow[]> {
  return viewRows({ client, isSpread }, askedOf(reads, isFirst), guessOf);
}

async function viewRows(
  { client, isSpread }: Asking,
  asked: Asked,
  guessFor: (reads: SeriesReads) => number,
): Promise<readonly BinaryRow[]> {
  return asked.reads.length === 0 ? [] : await copyRows(client, viewSql(asked, guessFor, isSpread));
}

/** The first view of such rows; undefined when they lack something or are from before `since`. */
export function guessedView(
  rows: readonly BinaryRow[],
  reads: readonly SeriesReads[],
  since: StoreState,
): ChunkView | undefined {
  const asked = askedOf(reads, true);
  const guessed = parseView(asked, rows);
  if (!guessed.isEnough || !hasReached(guessed.state, since)) return undefined;
  return createView({ ...asked, ...guessed, fitting: guessed.all, isCut: false });
}

function askedOf(reads: readonly SeriesReads[], isFirst: boolean): Asked {
  return {
    reads,
    looking: isFirst ? reads.filter(({ lookBack }) => lookBack !== undefined) : [],
    perSeries: Math.max(2, Math.ceil(VIEW_HEADS / Math.max(1, reads.length))),
  };
}

export interface Asking {
  readonly client: Client;
  /** Over several servers: then each statement is about one partition, which is on one of them. */
  readonly isSpread: boolean;
}

interface Asked {
  readonly reads: readonly SeriesReads[];
  readonly looking: readonly SeriesReads[];
  /** How many heads of a series are asked for. */
  readonly perSeries: number;
}

interface FoundHead {
  readonly reads: SeriesReads;
  readonly head: ChunkHead;
  readonly bytes: { readonly parts: number; readonly content: number };
}

const MINUTE_MS = 60_000;
const VALUES = 1;
const PARTS_TOO = 2;

/** What would be needed of a day with a point each second. */
function guessOf(reads: SeriesReads): number {
  const start = Math.floor(reads.at / DAY_MS) * DAY_MS;
  const usual = { count: 86_400, firstAt: start, lastAt: start + DAY_MS - 1, sum: { high: 1, low: 0 }, min: 0, max: 1 };
  const { content, parts } = reads.wanted({
    series: reads.series,
    start,
    span: DAY_MS,
    grain: MINUTE_MS,
    held: QUARTER_MS,
    summary: { ...usual, first: 0, last: 0 },
  });
  return (content ? VALUES : 0) + (parts ? PARTS_TOO : 0);
}

/** Whole numbers only, so they can stand in the text of the statement. */
export const whole = (value: number, round: (value: number) => number): number =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, round(value)));
export const arrayOf = (values: readonly (number | "NULL")[]): string => `'{${values.join(",")}}'::bigint[]`;

function viewSql(
  { reads, looking, perSeries }: Asked,
  guessFor: (reads: SeriesReads) => number,
  isSpread: boolean,
): string {
  const planned = reads.map((one, index) => ({
    device: one.device,
    one,
    place: index + 1,
    guess: guessFor(one),
  }));
  const calls = callsFor(planned, isSpread);
  return calls
    .map(({ own, rows }) => {
      const lists = [
        rows.map(({ device }) => device),
        rows.map(({ one }) => one.series),
        rows.map(({ one }) => whole(one.at, Math.floor)),
        rows.map(({ one }) => whole(one.to, Math.ceil)),
        rows.map(({ guess }) => guess),
        rows.map(({ one }) => (looking.includes(one) ? whole(one.from, Math.ceil) : "NULL")),
      ];
      const keys = [own, arrayOf(rows.map(({ place }) => place)), partitionsOf(rows)];
      const limits = [LONGEST_SPAN_MS, perSeries, Math.floor(GUESSED_BYTES / calls.length)];
      return `SELECT * FROM telemetry_view(${[...keys, ...lists.map(arrayOf), ...limits].join(", ")})`;
    })
    .join(" UNION ALL ");
}

interface OfDevice {
  readonly device: number;
}

/** One call for all rows, or one for each of their partitions. `own` is its argument of that name. */
export function callsFor<Row extends OfDevice>(rows: readonly Row[], isSpread: boolean) {
  if (!isSpread) return [{ own: "NULL", rows }];
  const groups = Map.groupBy(rows, ({ device }) => partitionOf(device));
  return [...groups].map(([partition, own]) => ({ own: `${partition}::smallint`, rows: own as readonly Row[] }));
}

export const partitionsOf = (rows: readonly OfDevice[]): string =>
  `'{${rows.map(({ device }) => partitionOf(device)).join(",")}}'::smallint[]`;

interface FoundView {
  readonly all: readonly FoundHead[];
  readonly before: readonly FoundHead[];
  readonly pieces: Pieces;
  /** Whether everything that is wanted of the heads came with them. */
  readonly isEnough: boolean;
  readonly state: StoreState;
}

function parseView({ reads }: Asked, rows: readonly BinaryRow[]): FoundView {
  const [all, before]: [FoundHead[], FoundHead[]] = [[], []];
  const [parts, contents, segments]: [
    Mutable<Pieces["parts"]>,
    Mutable<Pieces["contents"]>,
    Mutable<Pieces["segments"]>,
  ] = [new Map(), new Map(), new Map()];
  const state: (readonly [number, number])[] = [];
  for (const [placeField, startField, spanField, sum, bytes, partsBytes, contentBytes, ...piece] of rows) {
    if (placeField === undefined) {
      state.push([readInteger(startField), readInteger(spanField)]);
      continue;
    }
    const [place, start, span] = [readInteger(placeField), readInteger(startField), readInteger(spanField)];
    if (place === 0) {
      if (bytes === undefined) continue;
      const own = { device: readInteger(contentBytes), start, span };
      const segment = { ...own, rows: readInteger(partsBytes), times: bytes };
      segments.set(keyOf(own.device, start), { segment, sum: readInteger(sum) });
      continue;
    }
    const own = reads[Math.abs(place) - 1];
    if (own === undefined) throw new Error("a chunk came that nobody asked for");
    const head = readHead({ series: own.series, start, span }, readBytes(bytes), readInteger(sum));
    const found = {
      reads: own,
      head,
      bytes: { parts: readInteger(partsBytes), content: readInteger(contentBytes) },
    };
    (place > 0 ? all : before).push(found);
    const [partsSum, partsPiece, contentSum, presence, values] = piece;
    const key = keyOf(own.series, start);
    if (partsPiece !== undefined) parts.set(key, { bytes: partsPiece, sum: readInteger(partsSum) });
    if (presence !== undefined && values !== undefined) {
      contents.set(key, { content: { presence, values }, sum: readInteger(contentSum) });
    }
  }
  // Each partition has its own order.
  all.sort((a, b) => a.head.start - b.head.start);
  const hasAll = ({ reads: own, head }: FoundHead) => {
    const wanted = own.wanted(head);
    const key = keyOf(head.series, head.start);
    const presence = contents.get(key)?.content.presence;
    const hasContent = presence !== undefined && (areTimes(presence) || segments.has(keyOf(own.device, head.start)));
    return (!wanted.parts || parts.has(key)) && (!wanted.content || hasContent);
  };
  return { all, before, pieces: { parts, contents, segments }, isEnough: [...all, ...before].every(hasAll), state };
}

type Mutable<Found> = Found extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : never;

/** The first heads in time, as long as what is wanted of them fits a view. */
function withinBytes(found: readonly FoundHead[]) {
  let bytes = 0;
  const end = found.findIndex(({ reads, head, bytes: { parts, content } }, index) => {
    const wanted = reads.wanted(head);
    bytes += (wanted.parts ? parts : 0) + (wanted.content ? content : 0);
    return index > 0 && bytes > VIEW_BYTES;
  });
  return end < 0 ? { fitting: found, isCut: false } : { fitting: found.slice(0, end), isCut: true };
}

interface Pieces {
  readonly parts: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly sum: number }>;
  readonly contents: ReadonlyMap<string, { readonly content: ChunkContent; readonly sum: number }>;
  readonly segments: ReadonlyMap<string, { readonly segment: Segment; readonly sum: number }>;
}

const keyOf = (owner: number, start: number) => `${owner}/${start}`;
const CONTENT = 0;
const PARTS = 1;

async function fetchPieces({ client, isSpread }: Asking, heads: readonly FoundHead[]): Promise<Pieces> {
  const wanted = heads.flatMap(({ reads: { device, wanted }, head: { series, start }, head }) => {
    const { content, parts } = wanted(head);
    const place = { device, series, start };
    return [...(content ? [{ ...place, kind: CONTENT }] : []), ...(parts ? [{ ...place, kind: PARTS }] : [])];
  });
  const rows = wanted.length === 0 ? [] : await copyRows(client, piecesSql(wanted, isSpread));
  const parts = new Map<string, { bytes: Uint8Array; sum: number }>();
  const contents = new Map<string, { content: ChunkContent; sum: number }>();
  const segments = new Map<string, { segment: Segment; sum: number }>();
  for (const [kind, owner, start, span, rowCount, sum, first, second] of rows) {
    const key = keyOf(readInteger(owner), readInteger(start));
    const stored = readInteger(sum);
    switch (readInteger(kind)) {
      case CONTENT:
        contents.set(key, { content: { presence: readBytes(first), values: readBytes(second) }, sum: stored });
        break;
      case PARTS:
        parts.set(key, { bytes: readBytes(first), sum: stored });
        break;
      default: {
        const place = { device: readInteger(owner), start: readInteger(start), span: readInteger(span) };
        const segment = { ...place, rows: readInteger(rowCount), times: readBytes(first) };
        segments.set(key, { segment, sum: stored });
      }
    }
  }
  return { parts, contents, segments };
}

interface WantedPiece {
  readonly device: number;
  readonly series: number;
  readonly start: number;
  readonly kind: number;
}

/** Values come with the times of their segments. */
function piecesSql(wanted: readonly WantedPiece[], isSpread: boolean): string {
  const calls = callsFor(wanted, isSpread).map(({ own, rows }) => {
    const found = new Map<string, WantedPiece>();
    for (const one of rows) if (one.kind === CONTENT) found.set(keyOf(one.device, one.start), one);
    const segments = [...found.values()];
    const lists = [
      own,
      partitionsOf(rows),
      arrayOf(rows.map(({ device }) => device)),
      arrayOf(rows.map(({ series }) => series)),
      arrayOf(rows.map(({ start }) => start)),
      arrayOf(rows.map(({ kind }) => kind)),
      partitionsOf(segments),
      arrayOf(segments.map(({ device }) => device)),
      arrayOf(segments.map(({ start }) => start)),
    ];
    return `SELECT * FROM telemetry_pieces(${lists.join(", ")})`;
  });
  return calls.join(" UNION ALL ");
}

interface Fetched extends Asked {
  /** All heads that were found, and those of them whose pieces were fetched. */
  readonly all: readonly FoundHead[];
  readonly fitting: readonly FoundHead[];
  readonly before: readonly FoundHead[];
  readonly pieces: Pieces;
  readonly isCut: boolean;
}

function createView({ reads, looking, all, fitting, before, pieces, perSeries, isCut }: Fetched): ChunkView {
  const headsOf = (found: readonly FoundHead[], own: SeriesReads) =>
    found.filter((one) => one.reads === own).map(({ head }) => head);
  const windows = new Map(
    reads.map((own) => {
      const heads = headsOf(fitting, own);
      const known = isCut || all.length >= perSeries ? headsOf(all, own).length : heads.length;
      return [own, { heads, isAll: heads.length === known && known < perSeries }];
    }),
  );
  const last = new Map(looking.map((own) => [own, headsOf(before, own)]));
  return {
    nextChunks(own, at) {
      const { heads, isAll } = planned(windows.get(own), "chunks");
      const left = heads.filter(({ start, span }) => start + span > at);
      return left.length > 0 || isAll ? left : undefined;
    },
    lastChunks: (own) => planned(last.get(own), "last chunks"),
    content(head) {
      const found = pieces.contents.get(keyOf(head.series, head.start));
      if (found === undefined) throw missing(head);
      return readContent(head, found.content, found.sum);
    },
    parts(head) {
      const found = pieces.parts.get(keyOf(head.series, head.start));
      if (found === undefined) throw missing(head);
      return readParts(head, found.bytes, found.sum);
    },
    segment(device, start) {
      const found = pieces.segments.get(keyOf(device, start));
      return found && readSegment(found.segment, found.sum);
    },
  };
}

function planned<Piece>(piece: Piece | undefined, what: string): Piece {
  if (piece === undefined) throw new Error(`this view has no such ${what}: nobody planned to read them`);
  return piece;
}

function missing({ series, start, span }: ChunkHead): DamagedPiece {
  return new DamagedPiece({ table: "chunk", key: series, start, span });
}
