-- What was changed about a simulated device.
CREATE TABLE simulation (
  device_id TEXT NOT NULL PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  adjustments TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;
