// Queries over chunks in PostgreSQL.
import type { Client } from "pg";
import type { Connection } from "#store/postgres/connect.ts";
import { serverTrouble } from "#store/postgres/trouble.ts";
import type {
  ChunkCount,
  ChunkReader,
  ChunkView,
  SeriesRange,
  SeriesReads,
  StoreState,
} from "#store/series/chunk-reader.ts";
import type { BinaryRow } from "./copy-rows.ts";
import {
  type Asking,
  arrayOf,
  callsFor,
  fetchGuessed,
  fetchView,
  guessedView,
  partitionsOf,
  whole,
} from "./fetch-view.ts";
import { hasReached } from "./has-reached.ts";
import type { ReadCopy } from "./read-copy.ts";
import { LONGEST_SPAN_MS } from "./rows.ts";
import { readSmallChunks } from "./small-chunks.ts";

interface ReaderParts {
  readonly connection: Connection;
  readonly isSpread: boolean;
  readonly copy?: ReadCopy | undefined;
}

export function createPostgresReader({ connection, isSpread, copy }: ReaderParts): ChunkReader {
  /** One after the other: statements of two transactions must not mix. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    const start = async () => work(await connection.get());
    const next = last.then(start, start).catch((error: unknown) => {
      throw serverTrouble(error) ?? error;
    });
    last = next.catch(() => {});
    return next;
  };
  /** From the copy, if it is there and has come as far as the state. */
  async function read<Result>(since: StoreState, work: (client: Client) => Promise<Result>): Promise<Result> {
    const found = await copy?.read(since, work);
    return found === undefined ? await inTurn(work) : found.result;
  }
  function open(reads: readonly SeriesReads[], since: StoreState, early?: Promise<readonly BinaryRow[] | undefined>) {
    let isFirst = true;
    return {
      async view<Result>(use: (view: ChunkView) => Result): Promise<Result> {
        const rows = isFirst ? await early : undefined;
        const guessed = rows && guessedView(rows, reads, since);
        const view = guessed ?? (await read(since, (client) => fetchView({ client, isSpread }, reads, isFirst)));
        isFirst = false;
        return use(view);
      },
    };
  }
  return {
    open: (reads, since = []) => open(reads, since),
    early(planned) {
      // Trouble of the server is reported when it is asked again.
      const rows = read([], (client) => fetchGuessed({ client, isSpread }, planned, true)).catch(() => undefined);
      return { open: (reads, since = []) => open(reads, since, rows) };
    },
    counts: (ranges, since = []) => read(since, (client) => readCounts({ client, isSpread }, ranges)),
    async smallChunks(range, limits, since = []) {
      const readSince = (state: StoreState) => read(state, (client) => readSmallChunks(client, range, limits));
      const found = await readSince(since instanceof Promise ? [] : since);
      const known = await since;
      return hasReached(found.state, known) ? found.chunks : (await readSince(known)).chunks;
    },
    async close() {
      await last;
      await Promise.all([connection.close(), copy?.close()]);
    },
  };
}

async function readCounts(
  { client, isSpread }: Asking,
  ranges: readonly SeriesRange[],
): Promise<readonly (readonly ChunkCount[])[]> {
  const found: ChunkCount[][] = ranges.map(() => []);
  if (ranges.length === 0) return found;
  const placed = ranges.map((range, index) => ({ ...range, place: index + 1 }));
  for (const { own, rows: asked } of callsFor(placed, isSpread)) {
    const { rows } = await client.query<ChunkCount & { readonly place: number }>(
      `SELECT p.place, c.start, c.span, c.count, g.row_count AS rows FROM unnest(
         ${arrayOf(asked.map(({ place }) => place))}, ${partitionsOf(asked)},
         ${arrayOf(asked.map(({ device }) => device))}, ${arrayOf(asked.map(({ series }) => series))},
         ${arrayOf(asked.map(({ from }) => whole(from, Math.floor)))}, ${arrayOf(asked.map(({ to }) => whole(to, Math.ceil)))}
       ) AS p(place, partition, device, series, at, before)
       JOIN telemetry_chunk c ON c.partition = p.partition AND c.device = p.device AND c.series = p.series
         AND c.start > p.at - ${LONGEST_SPAN_MS} AND c.start < p.before AND c.start + c.span > p.at
       JOIN telemetry_segment g ON g.partition = c.partition AND g.device = c.device AND g.start = c.start
       ${isSpread ? `WHERE c.partition = ${own} AND g.partition = ${own}` : ""}
       ORDER BY p.place, c.start`,
    );
    for (const { place, start, span, count, rows: shared } of rows) {
      found[place - 1]?.push({ start, span, count, rows: shared });
    }
  }
  return found;
}
