-- On a gateway: all telemetry before this time has yet to be told to the cloud. Null: there is none.
ALTER TABLE uplink ADD COLUMN history_before bigint;

-- On a gateway: hours of which the cloud may lack points.
CREATE TABLE link_hour (
  device_id text COLLATE "C" NOT NULL,
  hour bigint NOT NULL, -- since 1970
  PRIMARY KEY (device_id, hour)
);
