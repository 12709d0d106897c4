-- What people say about doubtful steps of counters. The points stay as they are.
CREATE TABLE counter_correction (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  attribute TEXT NOT NULL,
  before_at INTEGER NOT NULL,
  value_before TEXT NOT NULL, -- readings are decimal numbers, written as in JSON
  at INTEGER NOT NULL,
  value TEXT NOT NULL,
  kind TEXT NOT NULL,
  new_start TEXT,
  note TEXT,
  token_id TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (device_id, attribute, at)
) STRICT, WITHOUT ROWID;
