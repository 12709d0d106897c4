// Makes the tables of the telemetry file, or brings them to the newest schema. `PRAGMA user_version` names the schema.
import { fromDevelopment } from "#store/from-development.ts";
import { type Connection, CorruptFile, isCorrupt } from "#store/sqlite/connection.ts";
import { CHUNK_COLUMNS, CHUNK_FROM, SEGMENT_COLUMNS } from "./read-rows.ts";
import { FIRST_SCHEMA, INITIAL, STEPS } from "./schema.ts";

/** All that is missing is one transaction: a kill leaves the schema as it was, or complete. */
export function prepareSchema(database: Connection, steps = STEPS): void {
  const version = Number(database.get("PRAGMA user_version")?.["user_version"]);
  refuseUnknownTelemetry(version, steps);
  const missing = version === 0 ? [INITIAL, ...steps] : steps.slice(version - FIRST_SCHEMA);
  if (missing.length > 0) {
    database.script(
      `BEGIN IMMEDIATE; ${missing.join("")}; PRAGMA user_version = ${FIRST_SCHEMA + steps.length}; COMMIT`,
    );
  }
  probeSchema(database);
}

/** `version` is 0 for a file without tables. */
export function refuseUnknownTelemetry(version: number, steps = STEPS): void {
  const newest = FIRST_SCHEMA + steps.length;
  if (version > 0 && version < FIRST_SCHEMA) throw fromDevelopment("the telemetry");
  if (version > newest) {
    throw new Error(
      `the telemetry was last used by a newer Busbar (schema ${version}; this one knows up to ${newest}). Use that version`,
    );
  }
}

/** The text of the schema is part of the file: a flipped letter in it would change a column. */
function probeSchema(database: Connection): void {
  try {
    database.get(`SELECT ${CHUNK_COLUMNS} FROM ${CHUNK_FROM} LIMIT 0`);
    database.get(`SELECT ${SEGMENT_COLUMNS} FROM segment LIMIT 0`);
    database.get("SELECT sequence, checksum, batch FROM journal LIMIT 0");
    database.get("SELECT series, at, value, checksum FROM latest LIMIT 0");
    database.get("SELECT sequence, batch FROM journal_damaged LIMIT 0");
    database.get("SELECT series, stretch, days_checksum, days, hours_checksum, hours FROM joined LIMIT 0");
    database.get("SELECT series, stretch, chunks, starts, changes FROM tally LIMIT 0");
  } catch (error) {
    throw isCorrupt(error) ? error : new CorruptFile("the schema of the telemetry is damaged", { cause: error });
  }
}
