-- What rules told the people of sites.
CREATE TABLE notification (
  id TEXT PRIMARY KEY,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  severity TEXT NOT NULL,
  title TEXT,
  text TEXT NOT NULL,
  source_kind TEXT NOT NULL,
  source_id TEXT NOT NULL,
  source_slug TEXT NOT NULL,
  source_key TEXT NOT NULL, -- what the source calls it, or its id
  UNIQUE (source_id, source_key)
) STRICT;
CREATE INDEX notification_by_site ON notification (site_id, at, id);
CREATE INDEX notification_by_time ON notification (at);
