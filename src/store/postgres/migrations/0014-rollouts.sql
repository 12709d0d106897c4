-- A blueprint that is given to many devices in stages.
CREATE TABLE rollout (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  blueprint_id text COLLATE "C" NOT NULL REFERENCES blueprint (id),
  stages text NOT NULL, -- how many devices there are at the end of each, as JSON
  watch_ms bigint NOT NULL,
  timeout_ms bigint NOT NULL,
  max_failures bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  reason text,
  stage bigint NOT NULL,
  tolerated bigint NOT NULL,
  token_id text COLLATE "C" NOT NULL,
  token_name text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE rollout_device (
  rollout_id text COLLATE "C" NOT NULL REFERENCES rollout (id),
  device_id text COLLATE "C" NOT NULL,
  site_id text COLLATE "C" NOT NULL,
  stage bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  since bigint NOT NULL,
  reason text,
  former_blueprint_id text COLLATE "C",
  was_online smallint NOT NULL,
  PRIMARY KEY (rollout_id, device_id)
);
CREATE INDEX rollout_device_by_stage ON rollout_device (rollout_id, stage, device_id);
