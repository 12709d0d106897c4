// Far pages: whole days, then hours, that lie before the page are skipped by their counters instead of row by row.
import type { Connection } from "./connection.ts";
import { countExecutions } from "./execution-count.ts";
import { type Bounds, EARLIEST, LATEST, listedIds, type Share, within } from "./execution-groups.ts";
import { SPANS, type Span } from "./execution-spans.ts";
import { number } from "./row.ts";

export interface Start {
  readonly shares: readonly Share[];
  /** How many to leave out from there. */
  readonly offset: number;
}

/** Fewer than this are left out one by one. */
const FEW = 1_000;

export function skipTime(reader: Connection, start: Start, newestFirst: boolean): Start {
  let at: Start & { readonly next: Bounds } = { ...start, next: { since: EARLIEST, before: LATEST } };
  for (const span of SPANS) if (at.offset >= FEW) at = skipSpans(reader, at, { span, newestFirst, next: at.next });
  return at;
}

interface Way {
  readonly span: Span;
  readonly newestFirst: boolean;
  /** The longer span in which the page begins: only there is anything left to skip. */
  readonly next: Bounds;
}

function skipSpans(reader: Connection, { shares, offset }: Start, way: Way): Start & { readonly next: Bounds } {
  const { span, newestFirst, next } = way;
  const counts = histogram(reader, within(shares, next), span);
  if (newestFirst) counts.reverse();
  let skipped = 0;
  let first = 0;
  while (first < counts.length && skipped + (counts[first]?.count ?? 0) <= offset) {
    skipped += counts[first]?.count ?? 0;
    first++;
  }
  // The counters do not know the bounds of time nor open executions, so what they suggest is counted exactly before it
  // is believed; where they promised too much, a span less is skipped.
  for (; first > 0; first--) {
    const edge = ((counts[first - 1]?.span ?? 0) + (newestFirst ? 0 : 1)) * span.ms;
    const older = { since: EARLIEST, before: edge };
    const newer = { since: edge, before: LATEST };
    const exact = countExecutions(reader, within(shares, newestFirst ? newer : older));
    if (exact > offset) continue;
    const left = within(shares, newestFirst ? older : newer);
    return { shares: left, offset: offset - exact, next: boundsOf(counts[first]?.span, span) };
  }
  return { shares, offset, next: boundsOf(counts[0]?.span, span) };
}

function boundsOf(index: number | undefined, { ms }: Span): Bounds {
  return index === undefined ? { since: EARLIEST, before: LATEST } : { since: index * ms, before: (index + 1) * ms };
}

/** Spans that hold executions of the groups, with their number, oldest first. */
function histogram(reader: Connection, shares: readonly Share[], { table, column, ms }: Span) {
  const since = Math.min(...shares.map(({ bounds }) => bounds.since));
  const before = Math.max(...shares.map(({ bounds }) => bounds.before));
  const rows = reader.all(
    `SELECT ${column} AS span, sum(count) AS count FROM ${table}
     WHERE group_id IN (SELECT value FROM json_each(?)) AND ${column} >= ? AND ${column} < ? GROUP BY 1 ORDER BY 1`,
    listedIds(shares.flatMap((share) => share.groups)),
    Math.floor(since / ms),
    Math.ceil(before / ms),
  );
  return rows.map((row) => ({ span: number(row, "span"), count: number(row, "count") }));
}
