-- Who wants what of a controlled quantity, and until when.
CREATE TABLE control_claim (
  id TEXT NOT NULL,
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  control TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT, -- a number or 'unlimited'; NULL says nothing
  class TEXT NOT NULL,
  source TEXT NOT NULL,
  reason TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  cause TEXT,
  PRIMARY KEY (device_id, id)
) STRICT;
CREATE UNIQUE INDEX control_claim_of_source ON control_claim (device_id, control, kind, source);
CREATE INDEX control_claim_by_end ON control_claim (lease_until);
-- What the device was told, so that a start knows what it still owes.
CREATE TABLE control_state (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  control TEXT NOT NULL,
  state TEXT NOT NULL, -- JSON
  PRIMARY KEY (device_id, control)
) STRICT;
-- What controlled a device when, and why.
CREATE TABLE control_history (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  at INTEGER NOT NULL, -- microseconds, rising within a device
  control TEXT NOT NULL,
  value TEXT, -- a number; NULL: the fallback
  follow TEXT NOT NULL,
  measured TEXT,
  class TEXT,
  source TEXT,
  reason TEXT,
  cause TEXT,
  PRIMARY KEY (device_id, at)
) STRICT;
CREATE INDEX control_history_by_time ON control_history (at);
