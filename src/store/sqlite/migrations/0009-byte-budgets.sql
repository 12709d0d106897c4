-- How much an open execution holds: its arguments, shown and sealed. The index answers how much all of a device's hold.
ALTER TABLE execution ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE execution SET bytes = octet_length(arguments) + coalesce(octet_length(sealed), 0) WHERE is_open = 1;
DROP INDEX execution_open;
CREATE INDEX execution_open ON execution (device_id, created_at, id, bytes) WHERE is_open = 1;

-- How much the log of an execution holds, and how many of its responses were left out so that it holds no more.
ALTER TABLE execution ADD COLUMN log_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE execution ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
ALTER TABLE execution ADD COLUMN left_out_at INTEGER; -- Unix microseconds of the newest of them
UPDATE execution SET log_bytes = (
  SELECT coalesce(sum(coalesce(octet_length(payload), 0) + 64), 0) FROM execution_response WHERE execution_id = execution.id)
WHERE is_open = 1;

-- How much the log of a device holds, of what persists and of the rest.
CREATE TABLE device_log_size (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  persist INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (device_id, persist)
) STRICT, WITHOUT ROWID;
INSERT INTO device_log_size (device_id, persist, bytes)
  SELECT device_id, persist, sum(octet_length(message) + 64) FROM device_log GROUP BY device_id, persist;
CREATE INDEX device_log_by_kind ON device_log (device_id, persist, received_at);
