-- Limits of a site that hold whatever anybody claims.
CREATE TABLE site_interlock (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  document TEXT NOT NULL, -- JSON, as people write it
  devices TEXT NOT NULL, -- JSON: the ids of the devices that it names
  PRIMARY KEY (site_id, name)
) STRICT;
