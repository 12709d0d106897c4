import { JOINED } from "./joined.ts";
import { TALLY, TALLY_CHANGES } from "./tally.ts";

/** `PRAGMA user_version` of a file with the initial schema. Development versions, from before the first release, used 1 to 4. */
export const FIRST_SCHEMA = 5;

/** Each brings a file from one schema to the next. What is released is never edited. */
export const STEPS: readonly string[] = [TALLY_CHANGES, JOINED];

// Checksums stand before the bytes: columns after the bytes are read only together with them. `definition` is a second copy
// of the names of series and devices: without names all values would be lost.
export const INITIAL = `
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
${TALLY}`;
