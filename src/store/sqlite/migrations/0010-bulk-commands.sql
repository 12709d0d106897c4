-- One command for many devices.
CREATE TABLE bulk_command (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  arguments TEXT NOT NULL, -- JSON; sensitive ones are hidden
  sealed BLOB NOT NULL, -- all of them in the clear
  rate INTEGER NOT NULL,
  parallel INTEGER NOT NULL,
  stop_after INTEGER,
  state TEXT NOT NULL,
  reason TEXT,
  token_id TEXT NOT NULL,
  token_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  schedule_id TEXT,
  idempotency_key TEXT,
  request_digest BLOB
) STRICT;
CREATE UNIQUE INDEX bulk_command_by_key ON bulk_command (token_id, idempotency_key);
CREATE INDEX bulk_command_by_end ON bulk_command (ended_at);
CREATE TABLE bulk_member (
  bulk_id TEXT NOT NULL REFERENCES bulk_command (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  device TEXT NOT NULL, -- as it was named
  device_id TEXT,
  site_id TEXT,
  state TEXT NOT NULL,
  execution_id TEXT, -- stored before the execution is
  begun_at INTEGER,
  code TEXT,
  message TEXT,
  PRIMARY KEY (bulk_id, place)
) STRICT;
CREATE INDEX bulk_member_by_state ON bulk_member (bulk_id, state, place);
-- The bulk command that an execution belongs to.
ALTER TABLE execution ADD COLUMN bulk_id TEXT;
