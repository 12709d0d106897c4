// What the counters of days and hours can answer without reading executions: how many match, and where a far page
// begins.
import type { Database } from "#store/database.ts";
import {
  type Bounds,
  EARLIEST,
  type Group,
  isUnbounded,
  LATEST,
  ofGroups,
  type Share,
  within,
} from "./execution-groups.ts";
import { SPANS, type Span } from "./execution-spans.ts";
import { number } from "./row.ts";

/** Counts whole days and hours by their counters, and the rest one by one. */
export async function countExecutions(reader: Database, shares: readonly Share[]): Promise<number> {
  let total = 0;
  for (const share of shares) total += await countShare(reader, share);
  return total;
}

async function countShare(reader: Database, share: Share): Promise<number> {
  const { groups, bounds } = share;
  if (isUnbounded(share)) return groups.reduce((sum, group) => sum + group.total, 0);
  const open = groups.filter((group) => group.open);
  const ended = groups.filter((group) => !group.open);
  return (await countRows(reader, open, bounds)) + (await countEnded(reader, { groups: ended, bounds }, SPANS));
}

async function countEnded(
  reader: Database,
  { groups, bounds }: Share,
  [span, ...finer]: readonly Span[],
): Promise<number> {
  if (span === undefined) return await countRows(reader, groups, bounds);
  if (groups.length === 0) return 0;
  const from = Math.ceil(bounds.since / span.ms);
  const to = Math.floor(bounds.before / span.ms);
  if (from >= to) return await countEnded(reader, { groups, bounds }, finer);
  const own = ofGroups(reader, groups);
  const row = await reader.one(
    `SELECT coalesce(sum(count), 0) AS total FROM ${span.table} WHERE ${own.sql} AND ${span.column} >= ? AND ${span.column} < ?`,
    ...own.values,
    from,
    to,
  );
  const edges: readonly Bounds[] = [
    { since: bounds.since, before: from * span.ms },
    { since: to * span.ms, before: bounds.before },
  ];
  let total = number(row, "total");
  for (const edge of edges) {
    if (edge.since >= edge.before || edge.since === EARLIEST || edge.before === LATEST) continue;
    total += await countEnded(reader, { groups, bounds: edge }, finer);
  }
  return total;
}

async function countRows(reader: Database, groups: readonly Group[], { since, before }: Bounds): Promise<number> {
  if (groups.length === 0) return 0;
  const own = ofGroups(reader, groups);
  const row = await reader.one(
    `SELECT count(*) AS total FROM execution WHERE ${own.sql} AND created_at >= ? AND created_at < ?`,
    ...own.values,
    since,
    before,
  );
  return number(row, "total");
}

export interface Start {
  readonly shares: readonly Share[];
  /** How many executions to skip from there. */
  readonly offset: number;
}

/** Fewer than this are skipped one by one. */
const FEW = 1_000;

/** Skips whole days, then hours, that lie before the page, using their counters instead of single rows. */
export async function skipTime(reader: Database, start: Start, newestFirst: boolean): Promise<Start> {
  let at: Start & { readonly next: Bounds } = { ...start, next: { since: EARLIEST, before: LATEST } };
  for (const span of SPANS)
    if (at.offset >= FEW) at = await skipSpans(reader, at, { span, newestFirst, next: at.next });
  return at;
}

interface Way {
  readonly span: Span;
  readonly newestFirst: boolean;
  /** The longer span in which the page begins: anything left to skip is inside it. */
  readonly next: Bounds;
}

async function skipSpans(
  reader: Database,
  { shares, offset }: Start,
  way: Way,
): Promise<Start & { readonly next: Bounds }> {
  const { span, newestFirst, next } = way;
  const counts = await histogram(reader, within(shares, next), span);
  if (newestFirst) counts.reverse();
  let skipped = 0;
  const reached = counts.findIndex(({ count }) => {
    if (skipped + count > offset) return true;
    skipped += count;
    return false;
  });
  const before = reached === -1 ? counts : counts.slice(0, reached);
  // The counters know neither the bounds of time nor open executions. So their suggestion is checked by an exact count,
  // and if they promised too much, one span less is skipped.
  for (const [index, last] of [...before.entries()].toReversed()) {
    const edge = (last.span + (newestFirst ? 0 : 1)) * span.ms;
    const older = { since: EARLIEST, before: edge };
    const newer = { since: edge, before: LATEST };
    const exact = await countExecutions(reader, within(shares, newestFirst ? newer : older));
    if (exact > offset) continue;
    const left = within(shares, newestFirst ? older : newer);
    return { shares: left, offset: offset - exact, next: boundsOf(counts[index + 1]?.span, span) };
  }
  return { shares, offset, next: boundsOf(counts[0]?.span, span) };
}

function boundsOf(index: number | undefined, { ms }: Span): Bounds {
  return index === undefined ? { since: EARLIEST, before: LATEST } : { since: index * ms, before: (index + 1) * ms };
}

/** Spans that hold executions of the groups, with their number, oldest first. */
async function histogram(reader: Database, shares: readonly Share[], { table, column, ms }: Span) {
  const since = Math.min(...shares.map(({ bounds }) => bounds.since));
  const before = Math.max(...shares.map(({ bounds }) => bounds.before));
  const own = ofGroups(
    reader,
    shares.flatMap((share) => share.groups),
  );
  const rows = await reader.all(
    `SELECT ${column} AS span, sum(count) AS count FROM ${table} WHERE ${own.sql} AND ${column} >= ? AND ${column} < ? GROUP BY 1 ORDER BY 1`,
    ...own.values,
    Math.floor(since / ms),
    Math.ceil(before / ms),
  );
  return rows.map((row) => ({ span: number(row, "span"), count: number(row, "count") }));
}
