-- What the settings of the device were generated for: MQTT or MQTTS. Nobody knows it of older ones.
ALTER TABLE device_credential ADD COLUMN protocol TEXT NOT NULL DEFAULT 'MQTT';
