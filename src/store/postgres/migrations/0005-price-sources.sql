-- Where the prices of a site are fetched from, and how that goes.
CREATE TABLE price_source (
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL, -- import, export or co2
  document text NOT NULL, -- JSON: address and mapping
  sealed_header bytea, -- the value of a header that is sent along; null without one, and in copies of a cloud
  updated_at bigint NOT NULL,
  next_at bigint NOT NULL,
  failures bigint NOT NULL, -- in a row
  succeeded_at bigint,
  fetched_rows bigint, -- of the last success
  failed_at bigint,
  error text,
  PRIMARY KEY (site_id, kind)
);
