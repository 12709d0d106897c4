-- What scripts keep by themselves. Keys and values are bytes, as Lua strings are.
CREATE TABLE script_storage (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  key BLOB NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (device_id, key)
) STRICT;
