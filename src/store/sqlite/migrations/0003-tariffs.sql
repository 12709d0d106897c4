-- What energy costs at a site.
CREATE TABLE site_tariff (
  site_id TEXT PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  updated_at INTEGER NOT NULL,
  document TEXT NOT NULL -- JSON, as people write it
) STRICT;

-- Prices of a site, a row for each day of UTC: a price for each quarter of an hour.
CREATE TABLE site_price (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  kind TEXT NOT NULL, -- import, export or co2
  day INTEGER NOT NULL, -- since 1970
  prices TEXT NOT NULL, -- JSON array of 96: millionths for a kilowatt-hour, or null
  PRIMARY KEY (site_id, kind, day)
) STRICT;
