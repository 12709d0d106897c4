-- A blueprint that is given to many devices in stages.
CREATE TABLE rollout (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  blueprint_id TEXT NOT NULL REFERENCES blueprint (id),
  stages TEXT NOT NULL, -- how many devices there are at the end of each, as JSON
  watch_ms INTEGER NOT NULL,
  timeout_ms INTEGER NOT NULL,
  max_failures INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  stage INTEGER NOT NULL,
  tolerated INTEGER NOT NULL,
  token_id TEXT NOT NULL,
  token_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE rollout_device (
  rollout_id TEXT NOT NULL REFERENCES rollout (id),
  device_id TEXT NOT NULL,
  site_id TEXT NOT NULL,
  stage INTEGER NOT NULL,
  state TEXT NOT NULL,
  since INTEGER NOT NULL,
  reason TEXT,
  former_blueprint_id TEXT,
  was_online INTEGER NOT NULL,
  PRIMARY KEY (rollout_id, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX rollout_device_by_stage ON rollout_device (rollout_id, stage, device_id);
