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
import { arrayOf, fetchGuessed, fetchView, guessedView, whole } from "./fetch-view.ts";
import { hasReached } from "./has-reached.ts";
import type { ReadCopy } from "./read-copy.ts";
import { LONGEST_SPAN_MS } from "./rows.ts";
import { readSmallChunks } from "./small-chunks.ts";

export function createPostgresReader(connection: Connection, copy?: ReadCopy): ChunkReader {
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
        const view = guessed ?? (await read(since, (client) => fetchView(client, reads, isFirst)));
        isFirst = false;
        return use(view);
      },
    };
  }
  return {
    open: (reads, since = []) => open(reads, since),
    early(planned) {
      // Trouble of the server is reported when it is asked again.
      const rows = read([], (client) => fetchGuessed(client, planned, true)).catch(() => undefined);
      return { open: (reads, since = []) => open(reads, since, rows) };
    },
    counts: (ranges, since = []) => read(since, (client) => readCounts(client, ranges)),
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

async function readCounts(client: Client, ranges: readonly SeriesRange[]): Promise<readonly (readonly ChunkCount[])[]> {
  const found: ChunkCount[][] = ranges.map(() => []);
  if (ranges.length === 0) return found;
  const { rows } = await client.query<ChunkCount & { readonly place: number }>(
    `SELECT p.place, c.start, c.span, c.count, g.row_count AS rows FROM unnest(
       ${arrayOf(ranges.map(({ device }) => device))}, ${arrayOf(ranges.map(({ series }) => series))},
       ${arrayOf(ranges.map(({ from }) => whole(from, Math.floor)))}, ${arrayOf(ranges.map(({ to }) => whole(to, Math.ceil)))}
     ) WITH ORDINALITY AS p(device, series, at, before, place)
     JOIN telemetry_chunk c ON c.device = p.device AND c.series = p.series
       AND c.start > p.at - ${LONGEST_SPAN_MS} AND c.start < p.before AND c.start + c.span > p.at
     JOIN telemetry_segment g ON g.device = c.device AND g.start = c.start
     ORDER BY p.place, c.start`,
  );
  for (const { place, start, span, count, rows: shared } of rows) {
    found[place - 1]?.push({ start, span, count, rows: shared });
  }
  return found;
}
