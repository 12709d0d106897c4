-- Executions that agree in everything a list can filter by, except time, form a group. A list is then a merge of few index
-- ranges, and its total is a sum of counters: both stay fast with millions of executions, whatever the filter.
CREATE TABLE execution_group (
  id INTEGER PRIMARY KEY,
  site_id TEXT NOT NULL,
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  manifest_name TEXT NOT NULL,
  state TEXT NOT NULL,
  ephemeral INTEGER NOT NULL,
  read_level INTEGER NOT NULL,
  total INTEGER NOT NULL,
  UNIQUE (device_id, name, manifest_name, state, ephemeral, read_level)
) STRICT;
CREATE INDEX execution_group_by_site ON execution_group (site_id);

-- How many of a group were created in which hour and in which day since 1970. Only of groups with an end state: open
-- executions are few and soon move on.
CREATE TABLE execution_hour (
  group_id INTEGER NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (group_id, hour)
) STRICT, WITHOUT ROWID;
CREATE TABLE execution_day (
  group_id INTEGER NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (group_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE execution (
  id TEXT PRIMARY KEY,
  group_id INTEGER NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  site_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  arguments TEXT NOT NULL, -- JSON, sensitive values hidden
  sealed BLOB, -- the arguments in the clear, encrypted; gone with the final state
  attempted INTEGER NOT NULL, -- 1 as soon as the device may have got it
  is_open INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  response_state TEXT,
  response_payload TEXT, -- JSON
  received_at INTEGER -- Unix microseconds
) STRICT, WITHOUT ROWID;
CREATE INDEX execution_by_group ON execution (group_id, created_at, id);
CREATE INDEX execution_by_site ON execution (site_id, created_at, id);
CREATE INDEX execution_open ON execution (device_id, created_at) WHERE is_open = 1;

CREATE TABLE execution_response (
  execution_id TEXT NOT NULL REFERENCES execution (id) ON DELETE CASCADE,
  received_at INTEGER NOT NULL, -- Unix microseconds
  state TEXT NOT NULL,
  payload TEXT, -- JSON
  PRIMARY KEY (execution_id, received_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  token_id TEXT NOT NULL,
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  request_digest BLOB NOT NULL,
  execution_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (token_id, device_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

CREATE TABLE device_log (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  received_at INTEGER NOT NULL, -- Unix microseconds, rising within a device
  taken_at INTEGER NOT NULL,
  severity TEXT NOT NULL,
  message TEXT NOT NULL,
  persist INTEGER NOT NULL,
  PRIMARY KEY (device_id, received_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX device_log_by_age ON device_log (persist, received_at);

CREATE TABLE device_configuration (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  bucket TEXT NOT NULL,
  shown TEXT NOT NULL, -- JSON, sensitive values hidden
  sealed BLOB NOT NULL, -- all values in the clear, encrypted
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (device_id, bucket)
) STRICT, WITHOUT ROWID;
