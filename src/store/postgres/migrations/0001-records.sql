-- Times are Unix milliseconds, ids are UUIDs as text. Texts compare by their bytes, as in SQLite, whatever the locale of
-- the database. JSON is kept as the text that was written. Truth values are 0 and 1.

CREATE TABLE site (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  timezone text NOT NULL,
  location text, -- JSON
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE blueprint (
  id text COLLATE "C" PRIMARY KEY,
  display_name text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  digest text COLLATE "C" NOT NULL UNIQUE,
  size bigint NOT NULL,
  implements text NOT NULL, -- JSON array of profile ids
  created_at bigint NOT NULL,
  UNIQUE (display_name, version)
);

-- Apart from blueprint, so that listing never touches the bytes.
CREATE TABLE blueprint_content (
  blueprint_id text COLLATE "C" PRIMARY KEY REFERENCES blueprint (id) ON DELETE CASCADE,
  content bytea NOT NULL
);
ALTER TABLE blueprint_content ALTER COLUMN content SET STORAGE EXTERNAL; -- packed already

CREATE TABLE device (
  id text COLLATE "C" PRIMARY KEY,
  site_id text COLLATE "C" NOT NULL REFERENCES site (id),
  name text NOT NULL,
  slug text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  blueprint_id text COLLATE "C" REFERENCES blueprint (id),
  parent_id text COLLATE "C" REFERENCES device (id),
  child_type text COLLATE "C",
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (site_id, slug)
);
CREATE INDEX device_by_slug ON device (slug);
CREATE INDEX device_by_site ON device (site_id, id);
CREATE INDEX device_by_parent ON device (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX device_by_blueprint ON device (blueprint_id) WHERE blueprint_id IS NOT NULL;

CREATE TABLE device_credential (
  device_id text COLLATE "C" PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  hardware_id text COLLATE "C" NOT NULL UNIQUE,
  channel_id text COLLATE "C" NOT NULL,
  secret_hash bytea NOT NULL,
  issued_at bigint NOT NULL
);

CREATE TABLE device_property (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL, -- JSON
  received_at bigint NOT NULL,
  PRIMARY KEY (device_id, name)
);

CREATE TABLE token (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  level text NOT NULL,
  sites text, -- JSON array of site ids, NULL for all sites
  hash bytea NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);

CREATE TABLE audit (
  id text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL,
  actor_token_id text COLLATE "C",
  actor_name text,
  action text COLLATE "C" NOT NULL,
  site_id text COLLATE "C",
  target text NOT NULL, -- JSON
  outcome text COLLATE "C" NOT NULL,
  code text,
  request_id text NOT NULL,
  remote_address text NOT NULL,
  details text NOT NULL, -- JSON
  count bigint NOT NULL DEFAULT 1, -- repeated refusals are one entry: how many calls it stands for
  last_at bigint -- when the last of them came; NULL for a single call
);
CREATE INDEX audit_by_time ON audit (at, id);
CREATE INDEX audit_by_site ON audit (site_id, at, id) WHERE site_id IS NOT NULL;
CREATE INDEX audit_by_actor ON audit (actor_token_id, at, id) WHERE actor_token_id IS NOT NULL;
CREATE INDEX audit_refused_anonymous ON audit (at, id) WHERE outcome = 'REFUSED' AND actor_token_id IS NULL;
CREATE INDEX audit_refused_token ON audit (at, id) WHERE outcome = 'REFUSED' AND actor_token_id IS NOT NULL;

-- Executions that agree in everything a list can filter by, except time, form a group. A list is then a merge of few index
-- ranges, and its total is a sum of counters: both stay fast with millions of executions, whatever the filter.
CREATE TABLE execution_group (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  manifest_name text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  ephemeral smallint NOT NULL,
  read_level smallint NOT NULL,
  total bigint NOT NULL,
  UNIQUE (device_id, name, manifest_name, state, ephemeral, read_level)
) WITH (fillfactor = 70);
CREATE INDEX execution_group_by_site ON execution_group (site_id);

-- How many of a group were created in which hour and in which day since 1970. Only of groups with an end state: open
-- executions are few and soon move on.
CREATE TABLE execution_hour (
  group_id bigint NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  hour bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (group_id, hour)
) WITH (fillfactor = 70);
CREATE TABLE execution_day (
  group_id bigint NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  day bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (group_id, day)
) WITH (fillfactor = 70);

CREATE TABLE execution (
  id text COLLATE "C" PRIMARY KEY,
  group_id bigint NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  site_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  arguments text NOT NULL, -- JSON, sensitive values hidden
  sealed bytea, -- the arguments in the clear, encrypted; gone with the final state
  attempted smallint NOT NULL, -- 1 as soon as the device may have got it
  is_open smallint NOT NULL,
  deadline bigint NOT NULL,
  response_state text COLLATE "C",
  response_payload text, -- JSON
  received_at bigint, -- Unix microseconds
  bytes bigint NOT NULL DEFAULT 0, -- of the arguments, shown and sealed
  log_bytes bigint NOT NULL DEFAULT 0,
  left_out bigint NOT NULL DEFAULT 0, -- responses that the log had no room for
  left_out_at bigint, -- Unix microseconds of the newest of them
  revision bigint NOT NULL DEFAULT 1, -- counts the changes that the owner of the execution has stored
  is_remote smallint NOT NULL DEFAULT 0, -- 1 when another side is the owner
  changed bigint NOT NULL DEFAULT 0 -- the number of the latest change
) WITH (fillfactor = 80);
CREATE INDEX execution_by_group ON execution (group_id, created_at, id);
CREATE INDEX execution_by_site ON execution (site_id, created_at, id);
CREATE INDEX execution_open ON execution (device_id, created_at, id) INCLUDE (bytes) WHERE is_open = 1;
CREATE INDEX execution_by_change ON execution (changed);

CREATE TABLE execution_response (
  execution_id text COLLATE "C" NOT NULL REFERENCES execution (id) ON DELETE CASCADE,
  received_at bigint NOT NULL, -- Unix microseconds
  state text COLLATE "C" NOT NULL,
  payload text, -- JSON
  revision bigint NOT NULL DEFAULT 1,
  changed bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (execution_id, received_at)
);

-- The highest number of a deleted execution, so that the latest number never falls.
CREATE TABLE execution_change (
  id smallint PRIMARY KEY CHECK (id = 1),
  deleted bigint NOT NULL
);
CREATE FUNCTION note_deleted_execution() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO execution_change (id, deleted) VALUES (1, OLD.changed)
    ON CONFLICT (id) DO UPDATE SET deleted = excluded.deleted WHERE execution_change.deleted < excluded.deleted;
  RETURN NULL;
END $$;
CREATE TRIGGER execution_deleted AFTER DELETE ON execution
  FOR EACH ROW EXECUTE FUNCTION note_deleted_execution();

CREATE TABLE idempotency (
  token_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  key text COLLATE "C" NOT NULL,
  request_digest bytea NOT NULL,
  execution_id text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (token_id, device_id, key)
);
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

CREATE TABLE device_log (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  received_at bigint NOT NULL, -- Unix microseconds, rising within a device
  taken_at bigint NOT NULL,
  severity text COLLATE "C" NOT NULL,
  message text NOT NULL,
  persist smallint NOT NULL,
  PRIMARY KEY (device_id, received_at)
);
CREATE INDEX device_log_by_age ON device_log (persist, received_at);
CREATE INDEX device_log_by_kind ON device_log (device_id, persist, received_at);

-- How much the log of a device holds, of what persists and of the rest.
CREATE TABLE device_log_size (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  persist smallint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (device_id, persist)
) WITH (fillfactor = 70);

CREATE TABLE device_configuration (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  bucket text COLLATE "C" NOT NULL,
  shown text NOT NULL, -- JSON, sensitive values hidden
  sealed bytea NOT NULL, -- all values in the clear, encrypted
  updated_at bigint NOT NULL,
  PRIMARY KEY (device_id, bucket)
);

-- One row each time a source of a device raised an alert. It is active while cleared_at is NULL, and history after.
CREATE TABLE alert (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  source text COLLATE "C" NOT NULL, -- the telemetry attribute that listed it
  alert_id text COLLATE "C" NOT NULL,
  raised_at bigint NOT NULL,
  site_id text COLLATE "C" NOT NULL,
  blueprint_id text COLLATE "C", -- what declared it, or would have; blueprints never change
  severity text COLLATE "C" NOT NULL,
  read_level smallint NOT NULL,
  hardens_at bigint NOT NULL,
  hardened_at bigint, -- NULL while soft
  cleared_at bigint,
  not_confirmed_since bigint, -- when a list named it for the last time, once the device has stopped repeating the list
  details text, -- what the device said about the alert, JSON
  PRIMARY KEY (device_id, source, alert_id, raised_at)
);
CREATE INDEX alert_active_by_device ON alert (device_id, raised_at) WHERE cleared_at IS NULL;
CREATE INDEX alert_active_by_site ON alert (site_id, raised_at) WHERE cleared_at IS NULL;
CREATE INDEX alert_past_by_device ON alert (device_id, raised_at) WHERE cleared_at IS NOT NULL;
CREATE INDEX alert_past_by_site ON alert (site_id, raised_at) WHERE cleared_at IS NOT NULL;
CREATE INDEX alert_by_end ON alert (cleared_at) WHERE cleared_at IS NOT NULL;

CREATE TABLE webhook (
  id text COLLATE "C" PRIMARY KEY,
  url text NOT NULL,
  kinds text NOT NULL, -- JSON array
  sites text, -- JSON array of site ids, NULL for all sites
  level smallint NOT NULL, -- of whoever registered it: it is told nothing that takes more
  secret bytea NOT NULL, -- encrypted
  created_at bigint NOT NULL
);

-- What is to be told, and for a while what was told. Rows appear in the transaction of what happened.
CREATE TABLE webhook_delivery (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- the order of happening
  id text COLLATE "C" NOT NULL UNIQUE,
  webhook_id text COLLATE "C" NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL,
  occurred_at bigint NOT NULL,
  event text NOT NULL, -- JSON
  state text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  queued_at bigint NOT NULL,
  next_attempt_at bigint, -- while pending
  give_up_at bigint NOT NULL,
  status bigint, -- HTTP
  error text,
  finished_at bigint
);
CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook_id, state, number);
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_attempt_at) WHERE state = 'PENDING';
CREATE INDEX webhook_delivery_by_end ON webhook_delivery (finished_at) WHERE finished_at IS NOT NULL;

-- How long the telemetry of a site's devices is kept. An empty attribute stands for all that have no row of their own.
CREATE TABLE telemetry_retention (
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  attribute text COLLATE "C" NOT NULL,
  kept text NOT NULL, -- a duration as given, or unlimited
  PRIMARY KEY (site_id, attribute)
);

-- What was changed about a simulated device.
CREATE TABLE simulation (
  device_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  adjustments text NOT NULL -- JSON
);

-- What scripts keep by themselves. Keys and values are bytes, as Lua strings are.
CREATE TABLE script_storage (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  key bytea NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (device_id, key)
);

-- Added to every change number. Numbers are made from PostgreSQL's transaction ids, which begin anew when the records
-- are restored into another server; then this is raised.
CREATE TABLE change_base (
  id smallint PRIMARY KEY CHECK (id = 1),
  base bigint NOT NULL
);
INSERT INTO change_base (id, base) VALUES (1, 0);
