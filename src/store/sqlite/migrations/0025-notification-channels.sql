-- How people of a site are reached.
CREATE TABLE notification_channel (
  id TEXT PRIMARY KEY,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  target TEXT NOT NULL, -- JSON
  sealed_secret BLOB,
  language TEXT NOT NULL,
  quiet_calendar TEXT,
  quiet_except TEXT,
  allow_private INTEGER NOT NULL,
  level INTEGER NOT NULL, -- of the token that made it
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (site_id, name)
) STRICT;
