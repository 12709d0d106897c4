-- Who takes care of an alert.
ALTER TABLE alert ADD COLUMN acknowledged_at bigint;
ALTER TABLE alert ADD COLUMN acknowledged_by text COLLATE "C"; -- id of the token
ALTER TABLE alert ADD COLUMN acknowledged_name text; -- of the token, as it was then
ALTER TABLE alert ADD COLUMN acknowledged_comment text;

-- While people work at a device or a site, its alerts are listed, and nobody is told.
CREATE TABLE maintenance_window (
  id text COLLATE "C" PRIMARY KEY,
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  device_id text COLLATE "C" REFERENCES device (id) ON DELETE CASCADE, -- NULL: the whole site
  begins_at bigint NOT NULL,
  ends_at bigint NOT NULL,
  reason text,
  made_by text COLLATE "C" NOT NULL, -- id of the token
  made_name text NOT NULL, -- of the token, as it was then
  made_at bigint NOT NULL
);
CREATE INDEX maintenance_window_by_site ON maintenance_window (site_id, ends_at);
CREATE INDEX maintenance_window_by_device ON maintenance_window (device_id);
CREATE INDEX maintenance_window_by_end ON maintenance_window (ends_at);
