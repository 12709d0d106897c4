-- Commands that run at a time or by a schedule.
CREATE TABLE command_schedule (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  token_id TEXT NOT NULL,
  token_name TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  at INTEGER,
  cron TEXT,
  timezone TEXT NOT NULL,
  missed TEXT NOT NULL,
  late_ms INTEGER NOT NULL,
  next_at INTEGER,
  shown TEXT NOT NULL, -- JSON; sensitive arguments are hidden
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  sealed BLOB NOT NULL -- the bulk command in the clear
) STRICT;
CREATE INDEX command_schedule_due ON command_schedule (next_at);
CREATE TABLE schedule_run (
  schedule_id TEXT NOT NULL REFERENCES command_schedule (id) ON DELETE CASCADE,
  due_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  bulk_id TEXT,
  reason TEXT,
  PRIMARY KEY (schedule_id, due_at, outcome)
) STRICT;
