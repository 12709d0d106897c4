-- On a gateway: how much stored telemetry the cloud never gets, since it joined. The counts survive a restart.
ALTER TABLE uplink ADD COLUMN history_expired INTEGER NOT NULL DEFAULT 0;
ALTER TABLE uplink ADD COLUMN history_unreadable INTEGER NOT NULL DEFAULT 0;
-- Points of the hour were deleted here before the cloud had them, and the hour was counted.
ALTER TABLE link_hour ADD COLUMN has_expired INTEGER NOT NULL DEFAULT 0;
