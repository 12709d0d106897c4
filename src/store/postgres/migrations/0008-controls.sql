-- Who wants what of a controlled quantity, and until when.
CREATE TABLE control_claim (
  id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  control text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  value text, -- a number or 'unlimited'; NULL says nothing
  class text NOT NULL,
  source text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  lease_until bigint NOT NULL,
  created_at bigint NOT NULL,
  cause text,
  PRIMARY KEY (device_id, id)
);
CREATE UNIQUE INDEX control_claim_of_source ON control_claim (device_id, control, kind, source);
CREATE INDEX control_claim_by_end ON control_claim (lease_until);
-- What the device was told, so that a start knows what it still owes.
CREATE TABLE control_state (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  control text COLLATE "C" NOT NULL,
  state text NOT NULL, -- JSON
  PRIMARY KEY (device_id, control)
);
-- What controlled a device when, and why.
CREATE TABLE control_history (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  at bigint NOT NULL, -- microseconds, rising within a device
  control text COLLATE "C" NOT NULL,
  value text, -- a number; NULL: the fallback
  follow text NOT NULL,
  measured text,
  class text,
  source text,
  reason text,
  cause text,
  PRIMARY KEY (device_id, at)
);
CREATE INDEX control_history_by_time ON control_history (at);
