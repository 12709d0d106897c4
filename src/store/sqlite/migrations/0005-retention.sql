-- How long the telemetry of a site's devices is kept. An empty attribute stands for all that have no row of their own.
CREATE TABLE telemetry_retention (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  attribute TEXT NOT NULL,
  kept TEXT NOT NULL, -- a duration as given, or unlimited
  PRIMARY KEY (site_id, attribute)
) STRICT, WITHOUT ROWID;
