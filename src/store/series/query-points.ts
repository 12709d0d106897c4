import type { Rendering } from "#core/telemetry/render/renderers.ts";
import type { RowBlock } from "#core/telemetry/row-block.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import type { PieceOf, Rows, SeriesRequest, TelemetryStore } from "#service/ports/telemetry-store.ts";
import { freeBytes } from "#tuning/free-bytes.ts";
import { namedRows } from "./damage.ts";
import { type KeptAnswers, MOST_ANSWER_BYTES } from "./kept-answers.ts";
import { reachOf, type SeriesItem, type SeriesQuery } from "./query.ts";
import { isNothing, type QuickReader } from "./quick-reader.ts";
import type { Readers } from "./readers.ts";
import { loadRenderer } from "./render/load-renderer.ts";
import type { SeriesParts } from "./series-parts.ts";
import type { OpenPoints } from "./series-writer.ts";

interface QueryNeeds extends Pick<SeriesParts, "index" | "thread" | "isShared" | "clock" | "learnSeries" | "named"> {
  readonly quick: QuickReader;
  readonly readers: Readers;
  /** The first hour that is not sealed, in hours since 1970. */
  readonly oldestHour: Int32Array;
  /** Undefined: no whole answers are kept. */
  readonly answers: KeptAnswers | undefined;
}

export function queryPoints(needs: QueryNeeds): Pick<TelemetryStore, "query" | "rowBound"> {
  const { index, thread, isShared, clock, learnSeries, named, quick, readers, oldestHour, answers } = needs;

  /** The query with series numbers, its unsealed points unless it has none, and whether it is about sealed hours only. */
  async function prepare({ from, to, items }: SeriesRequest): Promise<Prepared> {
    const unknown = items.filter((item) => index.find(item.deviceId, item.attribute, item.kind) === undefined);
    if (isShared) await learnSeries(unknown.map(({ deviceId }) => deviceId));
    const numbered = items.map((item): SeriesItem => {
      const definition = index.find(item.deviceId, item.attribute, item.kind);
      return { ...item, series: definition?.series, device: definition?.device ?? 0 };
    });
    const series = numbered.flatMap(({ series, device }) => (series === undefined ? [] : [{ series, device }]));
    const reaches = items.map(reachOf);
    const before = Math.max(0, ...reaches.map((reach) => reach.before));
    const end = to + Math.max(0, ...reaches.map((reach) => reach.after));
    const isSealed = end <= Atomics.load(oldestHour, 0) * HOUR_MS;
    const query = { from, to, items: numbered };
    const points = isSealed || series.length === 0 ? undefined : thread.snapshot(series, from - before, end);
    return { query, points, isSealed };
  }

  /** Its points are known. */
  async function known(query: SeriesQuery, points: Promise<OpenPoints> | undefined) {
    if (points === undefined) return { query, hot: [] };
    const { hot, state } = await points;
    return { query: { ...query, since: state }, hot: isNothing(hot) ? [] : hot };
  }

  /** A server takes a while for the unsealed points, and there are hardly any of these hours. */
  const isPast = ({ to }: SeriesQuery) => isShared && to <= clock() - 2 * HOUR_MS;

  return {
    async query<Rendered extends Rendering | undefined>(request: SeriesRequest, rendering?: Rendered) {
      const { query: asked, points, isSealed } = await prepare(request);
      const kept = isSealed && rendering !== undefined ? answers?.ask(asked, rendering) : undefined;
      if (kept?.known !== undefined) return rowsOf(kept.known as PieceOf<Rendered>, false);
      // Whoever needs them gets the error; meanwhile nobody may be waiting.
      points?.catch(() => {});
      const rendered = rendering as Rendered;
      const isQuick = quick.looksSmall(asked);
      try {
        if (points !== undefined && isShared && !isQuick) {
          const early = { query: asked, points, rendering: rendered };
          return namedRows(await readers.openEarly(early, request.requester), named);
        }
        const early = isQuick && points !== undefined && isPast(asked) ? await quick.answer(asked, points) : undefined;
        const { query, hot } = await known(asked, points);
        const block = early ?? (isQuick && hot.length === 0 ? await quick.answer(query) : undefined);
        if (block !== undefined) return rowsOf(keptPiece(await pieceOf(block, rendering), kept), true);
        const rows = await readers.open({ query, hot, rendering: rendered }, request.requester);
        return namedRows(kept === undefined ? rows : keepAll(rows, kept), named);
      } catch (error) {
        throw named(error);
      }
    },
    async rowBound(request) {
      try {
        const prepared = await prepare(request);
        const { query, hot } = await known(prepared.query, prepared.points);
        return await readers.bound(query, hot, request.requester);
      } catch (error) {
        throw named(error);
      }
    },
  };
}

interface Prepared {
  readonly query: SeriesQuery;
  readonly points: Promise<OpenPoints> | undefined;
  readonly isSealed: boolean;
}

type Keeper = Pick<NonNullable<ReturnType<KeptAnswers["ask"]>>, "keep">;

function keptPiece<Piece>(piece: Piece, keeper: Keeper | undefined): Piece {
  if (piece instanceof Uint8Array) keeper?.keep(piece.slice());
  return piece;
}

/** The same rows, of which copies are kept when all of them have come, unless they are too many. */
function keepAll<Piece>(rows: Rows<Piece>, keeper: Keeper): Rows<Piece> {
  const next = rows.next.bind(rows);
  let [pieces, bytes]: [Uint8Array[], number] = [[], 0];
  rows.next = async () => {
    const result = await next();
    if (result.done || !(result.value.piece instanceof Uint8Array)) return result;
    pieces.push(result.value.piece.slice());
    bytes += result.value.piece.length;
    if (bytes > MOST_ANSWER_BYTES) {
      pieces = [];
      rows.next = next;
    } else if (result.value.isLast) {
      const [first] = pieces;
      if (first !== undefined && pieces.length === 1) keeper.keep(first);
      else {
        keeper.keep(Buffer.concat(pieces));
        for (const piece of pieces) freeBytes(piece);
      }
    }
    return result;
  };
  return rows;
}

/** All rows at once. */
async function* rowsOf<Piece>(piece: Piece, isOwn: boolean): Rows<Piece> {
  yield { piece, isLast: true, isOwn };
}

async function pieceOf<Rendered extends Rendering | undefined>(
  block: RowBlock,
  rendering: Rendered | undefined,
): Promise<PieceOf<Rendered>> {
  const piece = rendering === undefined ? block : (await loadRenderer(rendering)).render(block, true);
  return piece as PieceOf<Rendered>;
}
