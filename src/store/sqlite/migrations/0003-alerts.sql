-- One row each time a source of a device raised an alert. It is active while cleared_at is NULL, and history after.
CREATE TABLE alert (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  source TEXT NOT NULL, -- the telemetry attribute that listed it
  alert_id TEXT NOT NULL,
  raised_at INTEGER NOT NULL,
  site_id TEXT NOT NULL,
  blueprint_id TEXT, -- what declared it, or would have; blueprints never change
  severity TEXT NOT NULL,
  read_level INTEGER NOT NULL,
  hardens_at INTEGER NOT NULL,
  hardened_at INTEGER, -- NULL while soft
  cleared_at INTEGER,
  PRIMARY KEY (device_id, source, alert_id, raised_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_active_by_device ON alert (device_id, raised_at) WHERE cleared_at IS NULL;
CREATE INDEX alert_active_by_site ON alert (site_id, raised_at) WHERE cleared_at IS NULL;
CREATE INDEX alert_past_by_device ON alert (device_id, raised_at) WHERE cleared_at IS NOT NULL;
CREATE INDEX alert_past_by_site ON alert (site_id, raised_at) WHERE cleared_at IS NOT NULL;
CREATE INDEX alert_by_end ON alert (cleared_at) WHERE cleared_at IS NOT NULL;
