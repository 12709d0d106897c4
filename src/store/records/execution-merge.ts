// The first executions of many groups together, in order, reading little more than those.
import type { Database, Row } from "#store/database.ts";
import { type Group, listedIds, type Share } from "./execution-groups.ts";
import { ofDevices } from "./of-devices.ts";
import { number, text } from "./row.ts";

export interface Wanted {
  readonly shares: readonly Share[];
  /** How many are wanted, from the first on. */
  readonly depth: number;
  readonly newestFirst: boolean;
}

interface Place {
  readonly id: string;
  readonly createdAt: number;
}

/** One group, as far as it has been read. */
interface Source {
  readonly group: Group;
  readonly share: Share;
  last: Place | undefined;
  chunk: number;
  isDone: boolean;
}

/** The first `depth` ids. */
export async function mergeGroups(reader: Database, wanted: Wanted): Promise<readonly string[]> {
  const compare = comparison(wanted.newestFirst);
  const sources = await candidates(reader, wanted);
  const chunk = 4 + Math.ceil((2 * wanted.depth) / Math.max(1, sources.length));
  for (const source of sources) source.chunk = Math.min(chunk, wanted.depth);
  let found: readonly Place[] = [];
  for (;;) {
    const last = found[wanted.depth - 1];
    // A group that may still have something before the last one has to be read further.
    const hungry = sources.filter(
      (source) => !source.isDone && (source.last === undefined || last === undefined || compare(source.last, last) < 0),
    );
    if (hungry.length === 0) return found.map((place) => place.id);
    const more = (await Promise.all(hungry.map((source) => readOn(reader, source, wanted.newestFirst)))).flat();
    found = [...found, ...more].sort(compare).slice(0, wanted.depth);
  }
}

/**
 * The groups that can contain a wanted execution: those whose first execution is among the first `depth` of all firsts.
 */
async function candidates(reader: Database, { shares, depth, newestFirst }: Wanted): Promise<readonly Source[]> {
  const heads: { readonly group: Group; readonly share: Share; readonly head: number }[] = [];
  for (const share of shares) {
    const { groups, bounds } = share;
    const byId = new Map(groups.map((group) => [group.id, group]));
    const order = newestFirst ? "DESC" : "ASC";
    const head = `created_at >= ? AND created_at < ? ORDER BY created_at ${order} LIMIT 1`;
    const within = [bounds.since, bounds.before];
    const devices = ofDevices(
      reader,
      groups.map(({ deviceId }) => deviceId),
    );
    const rows = await (reader.spread !== undefined
      ? reader.all(
          `SELECT id, (SELECT created_at FROM execution WHERE group_id = g.id AND device_id = g.device_id AND ${head}) AS head
           FROM execution_group g WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(?))${devices.sql}`,
          ...within,
          listedIds(groups),
          ...devices.values,
        )
      : reader.all(
          `SELECT CAST(j.value AS INTEGER) AS id, (SELECT created_at FROM execution
             WHERE group_id = CAST(j.value AS INTEGER) AND ${head}) AS head FROM json_each(?) j`,
          ...within,
          listedIds(groups),
        ));
    for (const row of rows) {
      const group = byId.get(number(row, "id"));
      if (group !== undefined && row["head"] !== null) heads.push({ group, share, head: number(row, "head") });
    }
  }
  const sign = newestFirst ? -1 : 1;
  heads.sort((a, b) => sign * (a.head - b.head));
  const limit = heads[depth - 1]?.head;
  return heads
    .filter(({ head }) => limit === undefined || sign * (head - limit) <= 0)
    .map(({ group, share }) => ({ group, share, last: undefined, chunk: 1, isDone: false }));
}

async function readOn(reader: Database, source: Source, newestFirst: boolean): Promise<readonly Place[]> {
  const { group, share, last, chunk } = source;
  const order = newestFirst ? "created_at DESC, id DESC" : "created_at, id";
  const after = last === undefined ? "" : `AND (created_at <> ? OR id ${newestFirst ? "<" : ">"} ?)`;
  const device = ofDevices(reader, [group.deviceId]);
  const rows = await reader.all(
    `SELECT id, created_at FROM execution
     WHERE group_id = ?${device.sql} AND created_at >= ? AND created_at < ? ${after} ORDER BY ${order} LIMIT ?`,
    group.id,
    ...device.values,
    newestFirst || last === undefined ? share.bounds.since : last.createdAt,
    newestFirst && last !== undefined ? last.createdAt + 1 : share.bounds.before,
    ...(last === undefined ? [] : [last.createdAt, last.id]),
    chunk,
  );
  source.isDone = rows.length < chunk;
  source.chunk = chunk * 4;
  const places = rows.map(placeOf);
  source.last = places.at(-1) ?? last;
  return places;
}

/** The same by walking over the whole site; undefined when so few of its executions match that this would take long. */
export async function walkSite(
  reader: Database,
  siteId: string,
  wanted: Wanted,
): Promise<readonly string[] | undefined> {
  const { shares, depth, newestFirst } = wanted;
  const budget = 2 * depth + 200;
  const since = Math.min(...shares.map(({ bounds }) => bounds.since));
  const before = Math.max(...shares.map(({ bounds }) => bounds.before));
  const rows = await reader.all(
    `SELECT id, created_at, group_id FROM execution WHERE site_id = ? AND created_at >= ? AND created_at < ?
     ORDER BY ${newestFirst ? "created_at DESC, id DESC" : "created_at, id"} LIMIT ?`,
    siteId,
    since,
    before,
    budget,
  );
  const shareOf = new Map(shares.flatMap((share) => share.groups.map((group) => [group.id, share] as const)));
  const found = rows.filter((row) => {
    const bounds = shareOf.get(number(row, "group_id"))?.bounds;
    // All shares end at the same moment.
    return bounds !== undefined && number(row, "created_at") >= bounds.since;
  });
  const isEnough = found.length >= depth || rows.length < budget;
  return isEnough ? found.slice(0, depth).map((row) => text(row, "id")) : undefined;
}

function placeOf(row: Row): Place {
  return { id: text(row, "id"), createdAt: number(row, "created_at") };
}

function comparison(newestFirst: boolean): (a: Place, b: Place) => number {
  const sign = newestFirst ? -1 : 1;
  return (a, b) => sign * (a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
