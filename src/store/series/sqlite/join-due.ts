// The oldest stretch of time whose days are to be joined.
import { DAY_MS } from "#core/time/hour.ts";
import { KINDS } from "#store/series/batch.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import { CHANGES_MS } from "#store/series/chunk-reader.ts";
import type { OnDamaged } from "#store/series/chunk-store.ts";
import { type JoinedDays, joinDays } from "#store/series/joined-days.ts";
import { joinedSum } from "#store/series/piece-sums.ts";
import { decodeChunk, decodeSegmentTimes } from "#store/series/segment-codec.ts";
import type { Connection } from "#store/sqlite/connection.ts";
import { type JoinedPlace, NOTHING } from "./joined.ts";
import { CHUNK_FROM, checkedRows, HEAD_COLUMNS } from "./read-rows.ts";
import { createView } from "./sqlite-chunk-reader.ts";

const DUE = "SELECT series, stretch FROM joined WHERE days IS NULL AND stretch < ? ORDER BY stretch LIMIT 1";
const ANY = "SELECT 1 FROM chunk WHERE series = ? AND start >= ? AND start < ? LIMIT 1";
const DAYS = CHANGES_MS / DAY_MS;

/** Joins the days of one stretch that ended before, in a transaction; false when none is due. */
export function joinDue(database: Connection, before: number, onDamaged: OnDamaged): boolean {
  const [due] = database.lists(DUE, Math.floor(before / CHANGES_MS));
  if (due === undefined) return false;
  const place = { series: Number(due[0]), stretch: Number(due[1]) };
  const { series, stretch } = place;
  const [any] = database.lists(ANY, series, stretch * CHANGES_MS, (stretch + 1) * CHANGES_MS);
  if (any !== undefined) put(database, place, made(database, place, onDamaged));
  else database.run("DELETE FROM joined WHERE series = ? AND stretch = ?", series, stretch);
  return true;
}

function put(database: Connection, { series, stretch }: JoinedPlace, joined: JoinedDays | undefined): void {
  const { days, hours } = joined ?? { days: NOTHING, hours: NOTHING };
  database.run(
    "UPDATE joined SET days_checksum = ?, days = ?, hours_checksum = ?, hours = ? WHERE series = ? AND stretch = ?",
    joinedSum(series, stretch, days),
    days,
    joinedSum(series, stretch, hours),
    hours,
    series,
    stretch,
  );
}

function made(database: Connection, { series, stretch }: JoinedPlace, onDamaged: OnDamaged): JoinedDays | undefined {
  const [known] = database.lists("SELECT kind, device FROM series WHERE id = ?", series);
  if (known?.[0] !== KINDS.indexOf("number")) return undefined;
  const start = stretch * CHANGES_MS;
  const view = createView(database);
  try {
    // A stretch that has more chunks than days has hours that are not joined yet.
    const sql = `SELECT ${HEAD_COLUMNS} FROM ${CHUNK_FROM} WHERE c.series = ? AND c.start >= ? AND c.start < ?
      ORDER BY c.start LIMIT ${DAYS + 1}`;
    const heads = database.all(sql, series, start, start + CHANGES_MS).map(checkedRows.head);
    if (heads.length > DAYS || heads.some(({ span }) => span !== DAY_MS)) return undefined;
    const times = (at: number) => {
      const segment = view.segment(Number(known[1]), at);
      if (segment === undefined)
        throw new DamagedPiece({ table: "segment", key: Number(known[1]), start: at, span: 0 });
      return decodeSegmentTimes(segment);
    };
    const days = heads.map((head) => ({
      head,
      parts: head.grain === 0 ? NOTHING : view.parts(head),
      column: () =>
        decodeChunk("number", { summary: head.summary, ...view.content(head) }, { times: () => times(head.start) }),
    }));
    return joinDays(start, days);
  } catch (error) {
    if (!(error instanceof DamagedPiece)) throw error;
    onDamaged(error.place);
    return undefined;
  }
}
