// How many executions lie between two moments: whole days and hours by their counters, the rest one by one.
import type { Connection } from "./connection.ts";
import { type Bounds, EARLIEST, type Group, isUnbounded, LATEST, listedIds, type Share } from "./execution-groups.ts";
import { SPANS, type Span } from "./execution-spans.ts";
import { number } from "./row.ts";

export function countExecutions(reader: Connection, shares: readonly Share[]): number {
  return shares.reduce((sum, share) => sum + countShare(reader, share), 0);
}

function countShare(reader: Connection, share: Share): number {
  const { groups, bounds } = share;
  if (isUnbounded(share)) return groups.reduce((sum, group) => sum + group.total, 0);
  const open = groups.filter((group) => group.open);
  const ended = groups.filter((group) => !group.open);
  return countRows(reader, open, bounds) + countEnded(reader, { groups: ended, bounds }, SPANS);
}

function countEnded(reader: Connection, { groups, bounds }: Share, [span, ...finer]: readonly Span[]): number {
  if (span === undefined) return countRows(reader, groups, bounds);
  if (groups.length === 0) return 0;
  const from = Math.ceil(bounds.since / span.ms);
  const to = Math.floor(bounds.before / span.ms);
  if (from >= to) return countEnded(reader, { groups, bounds }, finer);
  const row = reader.get(
    `SELECT coalesce(sum(count), 0) AS total FROM ${span.table}
     WHERE group_id IN (SELECT value FROM json_each(?)) AND ${span.column} >= ? AND ${span.column} < ?`,
    listedIds(groups),
    from,
    to,
  );
  const edges: readonly Bounds[] = [
    { since: bounds.since, before: from * span.ms },
    { since: to * span.ms, before: bounds.before },
  ];
  return edges
    .filter((edge) => edge.since < edge.before && edge.since !== EARLIEST && edge.before !== LATEST)
    .reduce(
      (sum, edge) => sum + countEnded(reader, { groups, bounds: edge }, finer),
      row === undefined ? 0 : number(row, "total"),
    );
}

function countRows(reader: Connection, groups: readonly Group[], { since, before }: Bounds): number {
  if (groups.length === 0) return 0;
  const row = reader.get(
    `SELECT count(*) AS total FROM execution
     WHERE group_id IN (SELECT value FROM json_each(?)) AND created_at >= ? AND created_at < ?`,
    listedIds(groups),
    since,
    before,
  );
  return row === undefined ? 0 : number(row, "total");
}
