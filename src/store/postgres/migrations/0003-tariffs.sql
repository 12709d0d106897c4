-- What energy costs at a site.
CREATE TABLE site_tariff (
  site_id text COLLATE "C" PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  updated_at bigint NOT NULL,
  document text NOT NULL -- JSON, as people write it
);

-- Prices of a site, a row for each day of UTC: a price for each quarter of an hour.
CREATE TABLE site_price (
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL, -- import, export or co2
  day bigint NOT NULL, -- since 1970
  prices text NOT NULL, -- JSON array of 96: millionths for a kilowatt-hour, or null
  PRIMARY KEY (site_id, kind, day)
);
