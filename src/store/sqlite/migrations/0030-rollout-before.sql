-- The newest alert and log entry that were told of a device before it was its turn: by their own clocks. Until now they were
-- compared with the time of its state.
ALTER TABLE rollout_device ADD COLUMN alert_before INTEGER; -- milliseconds
ALTER TABLE rollout_device ADD COLUMN log_before INTEGER; -- microseconds
UPDATE rollout_device SET alert_before = since, log_before = since * 1000 WHERE state IN ('ASSIGNING', 'WATCHED');
