-- What belongs to a device names the device, as in PostgreSQL, where it is spread over servers by it.
ALTER TABLE execution_response ADD COLUMN device_id TEXT NOT NULL DEFAULT '';
UPDATE execution_response SET device_id = (SELECT device_id FROM execution WHERE id = execution_id);

CREATE TABLE new_execution_hour (
  group_id INTEGER NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  count INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  PRIMARY KEY (group_id, hour, device_id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_execution_hour (group_id, hour, count, device_id)
  SELECT h.group_id, h.hour, h.count, g.device_id FROM execution_hour h JOIN execution_group g ON g.id = h.group_id;
DROP TABLE execution_hour;
ALTER TABLE new_execution_hour RENAME TO execution_hour;

CREATE TABLE new_execution_day (
  group_id INTEGER NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  count INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  PRIMARY KEY (group_id, day, device_id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_execution_day (group_id, day, count, device_id)
  SELECT d.group_id, d.day, d.count, g.device_id FROM execution_day d JOIN execution_group g ON g.id = d.group_id;
DROP TABLE execution_day;
ALTER TABLE new_execution_day RENAME TO execution_day;
