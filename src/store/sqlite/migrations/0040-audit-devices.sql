-- The device of an entry, which its target names, so that the entries about a device are found.
ALTER TABLE audit ADD COLUMN device_id TEXT;
UPDATE audit SET device_id = json_extract(target, '$.deviceId') WHERE json_valid(target) AND target LIKE '%"deviceId":"%';
CREATE INDEX audit_by_device ON audit (device_id, at, id) WHERE device_id IS NOT NULL;
