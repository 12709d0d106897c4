-- Who takes care of an alert.
ALTER TABLE alert ADD COLUMN acknowledged_at INTEGER;
ALTER TABLE alert ADD COLUMN acknowledged_by TEXT; -- id of the token
ALTER TABLE alert ADD COLUMN acknowledged_name TEXT; -- of the token, as it was then
ALTER TABLE alert ADD COLUMN acknowledged_comment TEXT;

-- While people work at a device or a site, its alerts are listed, and nobody is told.
CREATE TABLE maintenance_window (
  id TEXT PRIMARY KEY,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  device_id TEXT REFERENCES device (id) ON DELETE CASCADE, -- NULL: the whole site
  begins_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  reason TEXT,
  made_by TEXT NOT NULL, -- id of the token
  made_name TEXT NOT NULL, -- of the token, as it was then
  made_at INTEGER NOT NULL
) STRICT;
CREATE INDEX maintenance_window_by_site ON maintenance_window (site_id, ends_at);
CREATE INDEX maintenance_window_by_device ON maintenance_window (device_id);
CREATE INDEX maintenance_window_by_end ON maintenance_window (ends_at);
