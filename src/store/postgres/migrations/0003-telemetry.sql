-- Telemetry: the same journal, segments and chunks that the embedded store keeps. Devices and series have numbers here.
-- The bytes are packed already, so they are stored as they are. Tables that grow are split by device.

CREATE TABLE telemetry_device (
  id bigint PRIMARY KEY,
  device_id text COLLATE "C" NOT NULL UNIQUE
);
CREATE TABLE telemetry_series (
  id bigint PRIMARY KEY,
  device bigint NOT NULL,
  attribute text COLLATE "C" NOT NULL,
  kind smallint NOT NULL,
  UNIQUE (device, attribute, kind)
);
CREATE INDEX telemetry_series_by_device ON telemetry_series (device);

-- Points that are acknowledged and not sealed yet. Rows that cannot be read are kept and no longer replayed.
CREATE TABLE telemetry_journal (
  sequence bigint PRIMARY KEY,
  checksum bigint NOT NULL,
  is_damaged smallint NOT NULL DEFAULT 0,
  batch bytea NOT NULL
);
ALTER TABLE telemetry_journal ALTER COLUMN batch SET STORAGE EXTERNAL;

CREATE TABLE telemetry_segment (
  device bigint NOT NULL,
  start bigint NOT NULL, -- Unix milliseconds
  span bigint NOT NULL,
  row_count bigint NOT NULL,
  checksum bigint NOT NULL,
  times bytea NOT NULL,
  PRIMARY KEY (device, start)
) PARTITION BY HASH (device);
ALTER TABLE telemetry_segment ALTER COLUMN times SET STORAGE EXTERNAL;
CREATE INDEX telemetry_segment_by_span ON telemetry_segment (span, start);

CREATE TABLE telemetry_chunk (
  device bigint NOT NULL,
  series bigint NOT NULL,
  start bigint NOT NULL, -- Unix milliseconds
  span bigint NOT NULL,
  count bigint NOT NULL,
  head_checksum bigint NOT NULL,
  parts_checksum bigint NOT NULL,
  checksum bigint NOT NULL,
  head bytea NOT NULL, -- summary and grain
  parts bytea NOT NULL,
  presence bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (device, series, start)
) PARTITION BY HASH (device);
ALTER TABLE telemetry_chunk ALTER COLUMN parts SET STORAGE EXTERNAL;
ALTER TABLE telemetry_chunk ALTER COLUMN presence SET STORAGE EXTERNAL;
ALTER TABLE telemetry_chunk ALTER COLUMN data SET STORAGE EXTERNAL;

DO $$
BEGIN
  FOR n IN 0..7 LOOP
    EXECUTE format('CREATE TABLE telemetry_segment_%s PARTITION OF telemetry_segment FOR VALUES WITH (MODULUS 8, REMAINDER %s)', n, n);
    EXECUTE format('CREATE TABLE telemetry_chunk_%s PARTITION OF telemetry_chunk FOR VALUES WITH (MODULUS 8, REMAINDER %s)', n, n);
  END LOOP;
END $$;

CREATE TABLE telemetry_latest (
  series bigint PRIMARY KEY,
  at double precision NOT NULL,
  checksum bigint NOT NULL,
  value bytea NOT NULL
) WITH (fillfactor = 70);

-- Points whose time is too far in the future, unless our own clock is wrong.
CREATE TABLE telemetry_held (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id text COLLATE "C" NOT NULL,
  at double precision NOT NULL,
  arrived_at double precision NOT NULL,
  points text NOT NULL -- JSON
);
