import { TALLY } from "./tally.ts";

/**
 * The one file of the telemetry. `PRAGMA user_version` names its schema. A file from before there were checksums has
 * the schema UPGRADED, in which rows may lack checksums; they get one when they are rewritten.
 */
export const SCHEMA_VERSION = 4;
export const UPGRADED = 3;

// `definition` is a second copy of the names of series and devices: without names all values would be lost.
const ASIDE = `
CREATE TABLE held (
  id INTEGER PRIMARY KEY,
  device_id TEXT NOT NULL,
  at REAL NOT NULL,
  arrived_at REAL NOT NULL,
  points TEXT NOT NULL
) STRICT;
CREATE TABLE journal_damaged (sequence INTEGER NOT NULL, batch ANY) STRICT;
CREATE TABLE definition (
  series INTEGER PRIMARY KEY,
  device INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  attribute TEXT NOT NULL,
  kind INTEGER NOT NULL,
  checksum INTEGER
) STRICT;
`;

// Checksums stand before the bytes: columns after the bytes are read only together with them.
export const SCHEMA = `
CREATE TABLE device (id INTEGER PRIMARY KEY, device_id TEXT NOT NULL UNIQUE, checksum INTEGER) STRICT;
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL REFERENCES device (id),
  attribute TEXT NOT NULL,
  kind INTEGER NOT NULL,
  checksum INTEGER,
  UNIQUE (device, attribute, kind)
) STRICT;
CREATE TABLE journal (sequence INTEGER PRIMARY KEY, checksum INTEGER, batch BLOB NOT NULL) STRICT;
CREATE TABLE segment (
  device INTEGER NOT NULL,
  start INTEGER NOT NULL,
  span INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  checksum INTEGER,
  times BLOB NOT NULL,
  PRIMARY KEY (device, start)
) STRICT;
CREATE INDEX segment_by_span ON segment (span, start);
CREATE TABLE chunk (
  series INTEGER NOT NULL,
  start INTEGER NOT NULL,
  span INTEGER NOT NULL,
  count INTEGER NOT NULL,
  first_at REAL NOT NULL,
  last_at REAL NOT NULL,
  first_value ANY,
  last_value ANY,
  sum_high REAL NOT NULL,
  sum_low REAL NOT NULL,
  min REAL NOT NULL,
  max REAL NOT NULL,
  grain INTEGER NOT NULL,
  head_checksum INTEGER,
  parts_checksum INTEGER,
  checksum INTEGER,
  parts BLOB NOT NULL,
  presence BLOB NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (series, start)
) STRICT;
CREATE TABLE latest (series INTEGER PRIMARY KEY, at REAL NOT NULL, value ANY, checksum INTEGER) STRICT;
${ASIDE}${TALLY}`;

/** Upgrades each former schema to the next. Chunks without parts are read as before. */
export const UPGRADES = [
  `
ALTER TABLE chunk ADD COLUMN grain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunk ADD COLUMN parts BLOB NOT NULL DEFAULT x'';
`,
  `
ALTER TABLE device ADD COLUMN checksum INTEGER;
ALTER TABLE series ADD COLUMN checksum INTEGER;
ALTER TABLE journal ADD COLUMN checksum INTEGER;
ALTER TABLE segment ADD COLUMN checksum INTEGER;
ALTER TABLE chunk ADD COLUMN head_checksum INTEGER;
ALTER TABLE chunk ADD COLUMN parts_checksum INTEGER;
ALTER TABLE chunk ADD COLUMN checksum INTEGER;
ALTER TABLE latest ADD COLUMN checksum INTEGER;
DROP TABLE IF EXISTS held;
${ASIDE}
INSERT INTO definition (series, device, device_id, attribute, kind)
  SELECT s.id, s.device, d.device_id, s.attribute, s.kind FROM series s JOIN device d ON d.id = s.device;
${TALLY}`,
];
