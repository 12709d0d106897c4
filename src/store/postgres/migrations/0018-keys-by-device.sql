-- Every key of what belongs to a device contains the device, so that these tables can be spread over several servers by it.

ALTER TABLE execution_response ADD COLUMN device_id text COLLATE "C";
UPDATE execution_response r SET device_id = e.device_id FROM execution e WHERE e.id = r.execution_id;
ALTER TABLE execution_hour ADD COLUMN device_id text COLLATE "C";
UPDATE execution_hour h SET device_id = g.device_id FROM execution_group g WHERE g.id = h.group_id;
ALTER TABLE execution_day ADD COLUMN device_id text COLLATE "C";
UPDATE execution_day d SET device_id = g.device_id FROM execution_group g WHERE g.id = d.group_id;

ALTER TABLE execution_response DROP CONSTRAINT execution_response_execution_id_fkey;
ALTER TABLE execution_hour DROP CONSTRAINT execution_hour_group_id_fkey;
ALTER TABLE execution_day DROP CONSTRAINT execution_day_group_id_fkey;
ALTER TABLE execution DROP CONSTRAINT execution_group_id_fkey;

ALTER TABLE execution_group DROP CONSTRAINT execution_group_pkey, ADD PRIMARY KEY (id, device_id);
ALTER TABLE execution
  DROP CONSTRAINT execution_pkey,
  ADD PRIMARY KEY (id, device_id),
  ADD FOREIGN KEY (group_id, device_id) REFERENCES execution_group (id, device_id) ON DELETE CASCADE;
ALTER TABLE execution_response
  DROP CONSTRAINT execution_response_pkey,
  ALTER COLUMN device_id SET NOT NULL,
  ADD PRIMARY KEY (execution_id, received_at, device_id),
  ADD FOREIGN KEY (execution_id, device_id) REFERENCES execution (id, device_id) ON DELETE CASCADE;
ALTER TABLE execution_hour
  DROP CONSTRAINT execution_hour_pkey,
  ALTER COLUMN device_id SET NOT NULL,
  ADD PRIMARY KEY (group_id, hour, device_id),
  ADD FOREIGN KEY (group_id, device_id) REFERENCES execution_group (id, device_id) ON DELETE CASCADE;
ALTER TABLE execution_day
  DROP CONSTRAINT execution_day_pkey,
  ALTER COLUMN device_id SET NOT NULL,
  ADD PRIMARY KEY (group_id, day, device_id),
  ADD FOREIGN KEY (group_id, device_id) REFERENCES execution_group (id, device_id) ON DELETE CASCADE;

ALTER TABLE telemetry_series DROP CONSTRAINT telemetry_series_pkey, ADD PRIMARY KEY (id, device);
ALTER TABLE telemetry_held DROP CONSTRAINT telemetry_held_pkey, ADD PRIMARY KEY (id, device_id);
