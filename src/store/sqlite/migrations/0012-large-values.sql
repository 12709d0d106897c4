-- Tables with values of which others choose the size have row numbers. In a table without them the rows are the index: a
-- search compares whole rows, so each step past somebody's row of 1 MiB reads that megabyte.
CREATE TABLE new_execution (
  id TEXT NOT NULL PRIMARY KEY,
  group_id INTEGER NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  site_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  attempted INTEGER NOT NULL, -- 1 as soon as the device may have got it
  is_open INTEGER NOT NULL,
  bytes INTEGER NOT NULL DEFAULT 0, -- of the arguments, shown and sealed
  log_bytes INTEGER NOT NULL DEFAULT 0,
  left_out INTEGER NOT NULL DEFAULT 0, -- responses, so that the log holds no more
  left_out_at INTEGER, -- Unix microseconds of the newest of them
  revision INTEGER NOT NULL DEFAULT 1, -- counts the changes that the owner of the execution has stored
  is_remote INTEGER NOT NULL DEFAULT 0, -- 1 when another side is the owner
  changed INTEGER NOT NULL DEFAULT 0, -- the number of its latest change among all changes of these records
  received_at INTEGER, -- Unix microseconds
  response_state TEXT,
  -- What may be large is last: a column behind it would be read by way of it.
  response_payload TEXT, -- JSON
  arguments TEXT NOT NULL, -- JSON, sensitive values hidden
  sealed BLOB -- the arguments in the clear, encrypted; gone with the final state
) STRICT;
INSERT INTO new_execution (id, group_id, site_id, device_id, created_at, deadline, attempted, is_open, bytes, log_bytes,
    left_out, left_out_at, revision, is_remote, changed, received_at, response_state, response_payload, arguments, sealed)
  SELECT id, group_id, site_id, device_id, created_at, deadline, attempted, is_open, bytes, log_bytes,
    left_out, left_out_at, revision, is_remote, changed, received_at, response_state, response_payload, arguments, sealed
  FROM execution;

CREATE TABLE new_execution_response (
  execution_id TEXT NOT NULL REFERENCES new_execution (id) ON DELETE CASCADE,
  received_at INTEGER NOT NULL, -- Unix microseconds
  state TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  changed INTEGER NOT NULL DEFAULT 0, -- the number of the change that brought it
  payload TEXT, -- JSON
  PRIMARY KEY (execution_id, received_at)
) STRICT;
INSERT INTO new_execution_response (execution_id, received_at, state, revision, changed, payload)
  SELECT execution_id, received_at, state, revision, changed, payload FROM execution_response;

-- The table that refers goes first: dropping the other would delete its rows.
DROP TABLE execution_response;
DROP TABLE execution;
ALTER TABLE new_execution RENAME TO execution;
ALTER TABLE new_execution_response RENAME TO execution_response;
CREATE INDEX execution_by_group ON execution (group_id, created_at, id);
CREATE INDEX execution_by_site ON execution (site_id, created_at, id);
CREATE INDEX execution_open ON execution (device_id, created_at, id, bytes) WHERE is_open = 1;
CREATE INDEX execution_by_change ON execution (changed);
CREATE TRIGGER execution_deleted AFTER DELETE ON execution
WHEN OLD.changed > coalesce((SELECT deleted FROM execution_change), 0)
BEGIN
  INSERT INTO execution_change (id, deleted) VALUES (1, OLD.changed)
    ON CONFLICT (id) DO UPDATE SET deleted = excluded.deleted; END;

CREATE TABLE new_device_property (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  value TEXT NOT NULL, -- JSON
  PRIMARY KEY (device_id, name)
) STRICT;
INSERT INTO new_device_property (device_id, name, received_at, value)
  SELECT device_id, name, received_at, value FROM device_property;
DROP TABLE device_property;
ALTER TABLE new_device_property RENAME TO device_property;

CREATE TABLE new_device_configuration (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  bucket TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  shown TEXT NOT NULL, -- JSON, sensitive values hidden
  sealed BLOB NOT NULL, -- all values in the clear, encrypted
  PRIMARY KEY (device_id, bucket)
) STRICT;
INSERT INTO new_device_configuration (device_id, bucket, updated_at, shown, sealed)
  SELECT device_id, bucket, updated_at, shown, sealed FROM device_configuration;
DROP TABLE device_configuration;
ALTER TABLE new_device_configuration RENAME TO device_configuration;

CREATE TABLE new_simulation (
  device_id TEXT NOT NULL PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  adjustments TEXT NOT NULL -- JSON
) STRICT;
INSERT INTO new_simulation (device_id, adjustments) SELECT device_id, adjustments FROM simulation;
DROP TABLE simulation;
ALTER TABLE new_simulation RENAME TO simulation;
