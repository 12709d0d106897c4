-- The events that listeners can resume. Rows appear in the transaction of what happened.
CREATE TABLE event (
  position INTEGER PRIMARY KEY, -- the number of the change
  at INTEGER NOT NULL, -- when it happened
  stored_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  site_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  read_level INTEGER NOT NULL,
  execution_id TEXT, -- whose row and log hold the rest
  bytes INTEGER NOT NULL,
  total INTEGER NOT NULL, -- bytes of all events ever stored, up to and including this one
  data TEXT NOT NULL -- JSON
) STRICT;
