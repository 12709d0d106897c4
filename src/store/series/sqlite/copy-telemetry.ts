// The telemetry in a backup, and out of one. A full backup holds all of it. A backup of the changes holds the chunks
// and segments that are new or different since a full one, by the keys and checksums that were noted with that one.
import { chmodSync, existsSync } from "node:fs";
import { Connection, isCorrupt } from "#store/sqlite/connection.ts";
import { requireSound } from "#store/sqlite/copy-records.ts";
import { refuseUnknownTelemetry } from "./prepare-schema.ts";

/** The tables with almost all bytes, and the columns that show whether a row is the same. All others are small. */
const LARGE = {
  chunk: {
    key: ["series", "start"],
    same: [
      "span",
      "count",
      "first_at",
      "last_at",
      "sum_high",
      "sum_low",
      "head_checksum",
      "parts_checksum",
      "checksum",
    ],
  },
  segment: { key: ["device", "start"], same: ["span", "row_count", "checksum"] },
} as const;
type Large = keyof typeof LARGE;
/** Triggers write them as chunks change. What is joined of them is made anew. */
const DERIVED: ReadonlySet<string> = new Set(["tally", "joined"]);
const LARGE_NAMES = Object.keys(LARGE) as readonly Large[];

/** The schema of the file, which may be in use. */
export function readTelemetrySchema(file: string): number {
  const telemetry = new Connection(file, "read", 1);
  try {
    return versionOf(telemetry, "main");
  } finally {
    telemetry.close();
  }
}

/** All of it at one moment, while others write. Includes everything that was committed before the call. */
export function copyTelemetry(from: string, to: string): void {
  const telemetry = new Connection(from, "read", 4);
  try {
    telemetry.run("VACUUM INTO ?", to);
  } finally {
    telemetry.close();
  }
}

/** Notes in a file of its own what the telemetry of a full backup is: keys and checksums, no values. */
export function noteContents(telemetry: string, index: string, backupId: string): void {
  const target = new Connection(index, "write", 4);
  try {
    chmodSync(index, 0o600);
    target.run("ATTACH ? AS source", telemetry);
    target.script("BEGIN");
    for (const name of LARGE_NAMES) {
      const { key, same } = LARGE[name];
      target.script(`CREATE TABLE main.${name} AS SELECT ${[...key, ...same].join(", ")} FROM source.${name}`);
      target.script(`CREATE UNIQUE INDEX main.${name}_key ON ${name} (${key.join(", ")})`);
    }
    target.script("CREATE TABLE main.backup (id TEXT NOT NULL)");
    target.run("INSERT INTO main.backup (id) VALUES (?)", backupId);
    target.script(`PRAGMA main.user_version = ${versionOf(target, "source")}; COMMIT`);
  } finally {
    target.close();
  }
}

/** The id of the full backup that the index is of. */
export function readIndexedId(index: string): string {
  const source = new Connection(index, "read", 1);
  try {
    return String(source.one("SELECT id FROM backup")["id"]);
  } finally {
    source.close();
  }
}

/** False when there is no index or the schema has changed since, so that only a full backup will do. */
export function canCopyChanges(from: string, index: string): boolean {
  if (!existsSync(index) || !existsSync(from)) return false;
  try {
    return readTelemetrySchema(index) === readTelemetrySchema(from) && readIndexedId(index) !== "";
  } catch (error) {
    if (isCorrupt(error)) return false;
    throw error;
  }
}

/** What differs from the full backup that the index is of. */
export function copyChanges(from: string, index: string, to: string): void {
  const target = new Connection(to, "write", 4);
  try {
    target.run("ATTACH ? AS source", from);
    target.run("ATTACH ? AS base", index);
    // The first read of the source fixes the moment for all of them.
    target.script("BEGIN");
    for (const { name, sql } of tablesOf(target, "source")) {
      target.script(sql);
      if (name === "joined") continue;
      if (!isLarge(name)) target.script(`INSERT INTO main.${name} SELECT * FROM source.${name}`);
      else copyDifferent(target, name);
    }
    target.script(`PRAGMA main.user_version = ${versionOf(target, "source")}; COMMIT`);
  } finally {
    target.close();
  }
}

function copyDifferent(target: Connection, name: Large): void {
  const { key, same } = LARGE[name];
  const sameKey = key.map((column) => `b.${column} = s.${column}`).join(" AND ");
  // A row without a checksum is never known to be the same.
  const isSame = `${same.map((column) => `b.${column} IS s.${column}`).join(" AND ")} AND s.checksum IS NOT NULL`;
  target.script(
    `INSERT INTO main.${name} SELECT s.* FROM source.${name} s
     WHERE NOT EXISTS (SELECT 1 FROM base.${name} b WHERE ${sameKey} AND ${isSame})`,
  );
  target.script(
    `CREATE TABLE main.gone_${name} AS SELECT ${key.join(", ")} FROM base.${name} b
     WHERE NOT EXISTS (SELECT 1 FROM source.${name} s WHERE ${sameKey})`,
  );
}

/** Brings the telemetry of a full backup to the state of the backup of its changes. */
export function applyChanges(telemetry: string, changes: string): void {
  const target = new Connection(telemetry, "write", 16);
  try {
    target.script("PRAGMA foreign_keys = OFF; PRAGMA recursive_triggers = ON");
    target.run("ATTACH ? AS changes", changes);
    if (versionOf(target, "main") !== versionOf(target, "changes")) {
      throw new Error("the telemetry of the full backup has another schema than its changes");
    }
    target.script("BEGIN IMMEDIATE");
    for (const { name } of tablesOf(target, "main")) {
      if (DERIVED.has(name)) continue;
      if (isLarge(name)) {
        const key = LARGE[name].key.join(", ");
        target.script(`DELETE FROM main.${name} WHERE (${key}) IN (SELECT ${key} FROM changes.gone_${name})`);
      } else target.script(`DELETE FROM main.${name}`);
      target.script(`INSERT OR REPLACE INTO main.${name} SELECT * FROM changes.${name}`);
    }
    const counted = (place: string) => `SELECT series, stretch, chunks, starts FROM ${place}.tally WHERE chunks > 0`;
    const differing = target.get(`SELECT * FROM (${counted("main")} EXCEPT ${counted("changes")})`);
    const missing = target.get(`SELECT * FROM (${counted("changes")} EXCEPT ${counted("main")})`);
    if (differing !== undefined || missing !== undefined) {
      throw new Error("the full backup and its changes do not fit together: chunks of telemetry would be missing");
    }
    target.script("COMMIT");
  } finally {
    target.close();
  }
}

export interface TelemetryCounts {
  readonly chunks: number;
  /** In chunks. The open hours are in the journal. */
  readonly points: number;
  readonly journalRows: number;
}

/** Refuses telemetry of another version that this one does not know, and a damaged file. */
export function finishRestoredTelemetry(file: string): TelemetryCounts {
  const telemetry = new Connection(file, "write", 4);
  try {
    requireSound(telemetry, "the telemetry");
    refuseUnknownTelemetry(versionOf(telemetry, "main"));
    const { chunks, points } = telemetry.one("SELECT count(*) AS chunks, ifnull(sum(count), 0) AS points FROM chunk");
    const { rows } = telemetry.one("SELECT count(*) AS rows FROM journal");
    return { chunks: Number(chunks), points: Number(points), journalRows: Number(rows) };
  } finally {
    telemetry.close();
  }
}

function isLarge(name: string): name is Large {
  return (LARGE_NAMES as readonly string[]).includes(name);
}

function tablesOf(database: Connection, place: string): readonly { readonly name: string; readonly sql: string }[] {
  return database
    .all(`SELECT name, sql FROM ${place}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
}

function versionOf(database: Connection, place: string): number {
  return Number(database.one(`PRAGMA ${place}.user_version`)["user_version"]);
}
