-- Where the prices of a site are fetched from, and how that goes.
CREATE TABLE price_source (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  kind TEXT NOT NULL, -- import, export or co2
  document TEXT NOT NULL, -- JSON: address and mapping
  sealed_header BLOB, -- the value of a header that is sent along; null without one, and in copies of a cloud
  updated_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  failures INTEGER NOT NULL, -- in a row
  succeeded_at INTEGER,
  fetched_rows INTEGER, -- of the last success
  failed_at INTEGER,
  error TEXT,
  PRIMARY KEY (site_id, kind)
) STRICT;
