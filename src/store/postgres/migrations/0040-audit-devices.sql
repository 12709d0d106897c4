-- The device of an entry, which its target names, so that the entries about a device are found.
ALTER TABLE audit ADD COLUMN device_id text COLLATE "C";
UPDATE audit SET device_id = substring(target from '"deviceId":"([^"\\]+)"') WHERE target LIKE '%"deviceId":"%';
CREATE INDEX audit_by_device ON audit (device_id, at, id) WHERE device_id IS NOT NULL;
