/** The one file of the telemetry. `PRAGMA user_version` tells its shape. */
export const SCHEMA_VERSION = 2;

export const SCHEMA = `
CREATE TABLE device (id INTEGER PRIMARY KEY, device_id TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL REFERENCES device (id),
  attribute TEXT NOT NULL,
  kind INTEGER NOT NULL,
  UNIQUE (device, attribute, kind)
) STRICT;
CREATE TABLE journal (sequence INTEGER PRIMARY KEY, batch BLOB NOT NULL) STRICT;
CREATE TABLE segment (
  device INTEGER NOT NULL,
  start INTEGER NOT NULL,
  span INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
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
  parts BLOB NOT NULL,
  presence BLOB NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (series, start)
) STRICT;
CREATE TABLE latest (series INTEGER PRIMARY KEY, at REAL NOT NULL, value ANY) STRICT;
`;

/** From the first shape to this one. Chunks without parts are read as before. */
export const UPGRADE = `
ALTER TABLE chunk ADD COLUMN grain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunk ADD COLUMN parts BLOB NOT NULL DEFAULT x'';
`;
