// Joined summaries of days in the telemetry file (../joined-days.ts says what for). They say nothing that chunks do not say, so a row
// that does not match its checksum is read as none, and is made again.
import type { JoinedLevel } from "#store/series/chunk-reader.ts";
import { joinedSum } from "#store/series/piece-sums.ts";
import type { Connection, Row } from "#store/sqlite/connection.ts";
import { stretchOf } from "./tally.ts";

/** `days` is NULL where they are to be joined, and empty where that does not pay off. */
const outdate = (row: string) => `
  INSERT INTO joined (series, stretch) VALUES (${row}.series, ${stretchOf(`${row}.start`)})
  ON CONFLICT DO UPDATE SET days = NULL, hours = NULL WHERE days IS NOT NULL;`;

/** Triggers, so that no statement can forget that a stretch has changed. They need `recursive_triggers`. */
export const JOINED = `
CREATE TABLE joined (
  series INTEGER NOT NULL,
  stretch INTEGER NOT NULL,
  days_checksum INTEGER,
  days BLOB,
  hours_checksum INTEGER,
  hours BLOB,
  PRIMARY KEY (series, stretch)
) STRICT;
CREATE INDEX joined_due ON joined (stretch) WHERE days IS NULL;
INSERT INTO joined (series, stretch) SELECT series, stretch FROM tally;
CREATE TRIGGER joined_when_added AFTER INSERT ON chunk BEGIN ${outdate("NEW")} END;
CREATE TRIGGER joined_when_deleted AFTER DELETE ON chunk BEGIN ${outdate("OLD")} END;
`;

export const NOTHING = new Uint8Array(0);

export interface JoinedPlace {
  readonly series: number;
  readonly stretch: number;
}

const READ = {
  days: "SELECT days_checksum, days FROM joined WHERE series = ? AND stretch = ?",
  hours: "SELECT hours_checksum, hours FROM joined WHERE series = ? AND stretch = ?",
};

export function readJoined(
  database: Connection,
  { series, stretch, level }: JoinedPlace & { readonly level: JoinedLevel },
): Uint8Array | undefined {
  const [sum, bytes] = database.lists(READ[level], series, stretch)[0] ?? [];
  const isWhole = bytes instanceof Uint8Array && bytes.length > 0 && sum === joinedSum(series, stretch, bytes);
  return isWhole ? bytes : undefined;
}

/** Reads a row; if it does not match its checksums, it is to be made again. Gives its bytes. */
export function mendJoined(database: Connection, row: Row): number {
  const [series, stretch] = [Number(row["series"]), Number(row["stretch"])];
  const levels = [row["days"], row["hours"]].map((bytes) => (bytes instanceof Uint8Array ? bytes : NOTHING));
  const sums = [row["days_checksum"], row["hours_checksum"]];
  const isWhole = row["days"] === null || levels.every((bytes, i) => sums[i] === joinedSum(series, stretch, bytes));
  if (!isWhole) database.run("UPDATE joined SET days = NULL, hours = NULL WHERE rowid = ?", Number(row["place"]));
  return levels.reduce((sum, { length }) => sum + length, 0);
}
