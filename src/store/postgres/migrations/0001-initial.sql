-- Times are Unix milliseconds, ids are UUIDs as text. Texts compare by their bytes, as in SQLite, whatever the locale of
-- the database. JSON is kept as the text that was written. Truth values are 0 and 1. Every key of what belongs to a device
-- contains the device, so that these tables can be spread over several servers by it.

CREATE TABLE site (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  timezone text NOT NULL,
  location text, -- JSON
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  gateway_id text COLLATE "C", -- the gateway that owns the site: the cloud has a copy of it and of its devices
  -- Whether nobody has said yet in which time zone the site is: the first start took that of the machine, or nothing was
  -- given.
  timezone_assumed integer NOT NULL DEFAULT 0
);
CREATE INDEX site_by_gateway ON site (gateway_id) WHERE gateway_id IS NOT NULL;

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

-- Uploaded profiles. One that is no draft never changes.
CREATE TABLE device_profile (
  id text COLLATE "C" PRIMARY KEY,
  is_draft smallint NOT NULL,
  content text NOT NULL, -- JSON
  revision bigint NOT NULL -- rises with each write that changes something
);

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
  issued_at bigint NOT NULL,
  protocol text COLLATE "C" NOT NULL DEFAULT 'MQTT', -- what the settings of the device were generated for: MQTT or MQTTS
  broker_password text COLLATE "C" -- as Mosquitto keeps it: hashed with a salt of its own; NULL for certificates
);

CREATE TABLE device_property (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL, -- JSON
  received_at bigint NOT NULL,
  PRIMARY KEY (device_id, name)
);

CREATE TABLE device_configuration (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  bucket text COLLATE "C" NOT NULL,
  shown text NOT NULL, -- JSON, sensitive values hidden
  sealed bytea NOT NULL, -- all values in the clear, encrypted
  updated_at bigint NOT NULL,
  PRIMARY KEY (device_id, bucket)
);

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

-- What people say about doubtful steps of counters. The points stay as they are.
CREATE TABLE counter_correction (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  attribute text COLLATE "C" NOT NULL,
  before_at bigint NOT NULL,
  value_before text NOT NULL, -- readings are decimal numbers, written as in JSON
  at bigint NOT NULL,
  value text NOT NULL,
  kind text NOT NULL,
  new_start text,
  note text,
  token_id text COLLATE "C" NOT NULL,
  author text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (device_id, attribute, at)
);

-- How long the telemetry of a site's devices is kept. An empty attribute stands for all that have no row of their own.
CREATE TABLE telemetry_retention (
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  attribute text COLLATE "C" NOT NULL,
  kept text NOT NULL, -- a duration as given, or unlimited
  PRIMARY KEY (site_id, attribute)
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
  last_used_at bigint,
  from_cloud smallint NOT NULL DEFAULT 0 -- on a gateway: whether it is one of the cloud, which sends and takes it back
);

-- Sign-ins of the page. A row is deleted when its session ends.
CREATE TABLE session (
  id text COLLATE "C" PRIMARY KEY,
  token_id text COLLATE "C" NOT NULL,
  token_hash bytea NOT NULL, -- of the token when it signed in: a session ends when its token changes
  hash bytea NOT NULL, -- of the text in the cookie
  previous_hash bytea, -- of the text before the last renewal
  renewed_at bigint NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  last_used_at bigint NOT NULL,
  remote_address text NOT NULL,
  user_agent text NOT NULL
);
CREATE INDEX session_by_token ON session (token_id, last_used_at, id);

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
  last_at bigint, -- when the last of them came; NULL for a single call
  reported_by text COLLATE "C" -- the gateway that reported the entry; without one it was written here
);
CREATE INDEX audit_by_time ON audit (at, id);
CREATE INDEX audit_by_site ON audit (site_id, at, id) WHERE site_id IS NOT NULL;
CREATE INDEX audit_by_actor ON audit (actor_token_id, at, id) WHERE actor_token_id IS NOT NULL;
CREATE INDEX audit_refused_anonymous ON audit (at, id) WHERE outcome = 'REFUSED' AND actor_token_id IS NULL;
CREATE INDEX audit_refused_token ON audit (at, id) WHERE outcome = 'REFUSED' AND actor_token_id IS NOT NULL;

-- Settings that were changed while the service ran. They win over the configuration.
CREATE TABLE setting (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

-- Executions that agree in everything a list can filter by, except time, form a group. A list is then a merge of few index
-- ranges, and its total is a sum of counters: both stay fast with millions of executions, whatever the filter.
-- A sequence and no identity: rows on several servers get their numbers from one.
CREATE SEQUENCE execution_group_number;
CREATE TABLE execution_group (
  id bigint NOT NULL DEFAULT nextval('execution_group_number'),
  site_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  manifest_name text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  ephemeral smallint NOT NULL,
  read_level smallint NOT NULL,
  total bigint NOT NULL,
  PRIMARY KEY (id, device_id),
  UNIQUE (device_id, name, manifest_name, state, ephemeral, read_level)
) WITH (fillfactor = 70);
CREATE INDEX execution_group_by_site ON execution_group (site_id);

-- How many of a group were created in which hour and in which day since 1970. Only of groups with an end state: open
-- executions are few and soon move on.
CREATE TABLE execution_hour (
  group_id bigint NOT NULL,
  hour bigint NOT NULL,
  count bigint NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (group_id, hour, device_id),
  FOREIGN KEY (group_id, device_id) REFERENCES execution_group (id, device_id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE TABLE execution_day (
  group_id bigint NOT NULL,
  day bigint NOT NULL,
  count bigint NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (group_id, day, device_id),
  FOREIGN KEY (group_id, device_id) REFERENCES execution_group (id, device_id) ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE TABLE execution (
  id text COLLATE "C" NOT NULL,
  group_id bigint NOT NULL,
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
  changed bigint NOT NULL DEFAULT 0, -- the number of the latest change
  PRIMARY KEY (id, device_id),
  FOREIGN KEY (group_id, device_id) REFERENCES execution_group (id, device_id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX execution_by_group ON execution (group_id, created_at, id);
CREATE INDEX execution_by_site ON execution (site_id, created_at, id);
CREATE INDEX execution_open ON execution (device_id, created_at, id) INCLUDE (bytes) WHERE is_open = 1;
CREATE INDEX execution_by_change ON execution (changed);
-- Finds what a node that has died left open.
CREATE INDEX execution_by_deadline ON execution (deadline) WHERE is_open = 1;

CREATE TABLE execution_response (
  execution_id text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL, -- Unix microseconds
  state text COLLATE "C" NOT NULL,
  payload text, -- JSON
  revision bigint NOT NULL DEFAULT 1,
  changed bigint NOT NULL DEFAULT 0,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (execution_id, received_at, device_id),
  FOREIGN KEY (execution_id, device_id) REFERENCES execution (id, device_id) ON DELETE CASCADE
);

-- The highest number of a deleted execution, so that the latest number never falls.
CREATE TABLE execution_change (
  id smallint PRIMARY KEY CHECK (id = 1),
  deleted bigint NOT NULL
);

-- Added to every change number. Numbers are made from PostgreSQL's transaction ids, which begin anew when the records
-- are restored into another server; then this is raised.
CREATE TABLE change_base (
  id smallint PRIMARY KEY CHECK (id = 1),
  base bigint NOT NULL
);
INSERT INTO change_base (id, base) VALUES (1, 0);

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

-- The events that listeners can resume. Rows appear in the transaction of what happened.
CREATE TABLE event (
  position bigint PRIMARY KEY, -- the number of the change
  at bigint NOT NULL, -- when it happened
  stored_at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  site_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  read_level smallint NOT NULL,
  execution_id text COLLATE "C", -- whose row and log hold the rest
  bytes bigint NOT NULL,
  -- Bytes of all events ever stored, up to and including this one. Transactions that run at the same time do not count
  -- each other, so it is a rough figure.
  total bigint NOT NULL,
  data text NOT NULL -- JSON
);

CREATE TABLE webhook (
  id text COLLATE "C" PRIMARY KEY,
  url text NOT NULL,
  kinds text NOT NULL, -- JSON array
  sites text, -- JSON array of site ids, NULL for all sites
  level smallint NOT NULL, -- of whoever registered it: it gets nothing that takes more
  secret bytea NOT NULL, -- encrypted
  created_at bigint NOT NULL
);

-- What is to be delivered, and for a while what was delivered. Rows appear in the transaction of what happened.
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
  -- The newest alert and log entry that were known of the device before it was its turn: by their own clocks.
  alert_before bigint, -- milliseconds
  log_before bigint, -- microseconds
  PRIMARY KEY (rollout_id, device_id)
);
CREATE INDEX rollout_device_by_stage ON rollout_device (rollout_id, stage, device_id);

-- A random name of these records. A restored backup gets another one, so that the other side of a link starts over.
CREATE TABLE epoch (
  id smallint PRIMARY KEY CHECK (id = 1),
  epoch text COLLATE "C" NOT NULL
);

-- On a gateway: the cloud that it has joined.
CREATE TABLE uplink (
  id smallint PRIMARY KEY CHECK (id = 1),
  url text NOT NULL,
  gateway_id text COLLATE "C" NOT NULL,
  credential bytea NOT NULL, -- encrypted
  joined_at bigint NOT NULL,
  history_before bigint, -- all telemetry before this time has yet to be uploaded to the cloud; NULL: there is none
  confirmed bigint NOT NULL DEFAULT 0, -- the cloud has all changes up to this number, and some of their notes are deleted
  contact_at bigint, -- when it was last connected to the cloud
  next_credential bytea, -- replaces the present one as soon as the cloud accepts it, encrypted
  credential_at bigint, -- since when it has the present one
  cloud_epoch text, -- names the cloud's records that have everything; others, such as a restored backup, get everything again
  -- How much stored telemetry the cloud never gets, since it joined. The counts survive a restart.
  history_expired bigint NOT NULL DEFAULT 0,
  history_unreadable bigint NOT NULL DEFAULT 0,
  former_credential bytea -- the one before the present one, encrypted: a cloud from a backup may know only it
);

-- On a gateway: the number of the latest change of each record that the cloud has a copy of. Only while there is an uplink.
CREATE TABLE link_change (
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  changed bigint NOT NULL,
  PRIMARY KEY (kind, key)
);
CREATE INDEX link_change_by_number ON link_change (changed);

-- On a gateway: hours of which the cloud may lack points.
CREATE TABLE link_hour (
  device_id text COLLATE "C" NOT NULL,
  hour bigint NOT NULL, -- since 1970
  has_expired smallint NOT NULL DEFAULT 0, -- points were deleted here before the cloud had them, and the hour was counted
  PRIMARY KEY (device_id, hour)
);

-- On a cloud: the gateways that have joined, and how far their changes are stored here.
CREATE TABLE gateway (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  credential_hash bytea NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint,
  version text NOT NULL,
  last_seen_at bigint,
  is_connected smallint NOT NULL, -- to one of the nodes
  epoch text COLLATE "C", -- of the gateway's records, once it has connected
  taken bigint NOT NULL, -- the number of the gateway's latest change that is stored here
  next_credential_hash bytea, -- of the credential that the gateway is about to change over to
  must_rotate smallint NOT NULL DEFAULT 0, -- whether it shall get another credential
  is_caught_up integer NOT NULL DEFAULT 0 -- whether it has reported, since it connected, what happened while it was away
);

CREATE TABLE join_code (
  id text COLLATE "C" PRIMARY KEY,
  name text,
  hash bytea NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  -- Who made the code.
  actor_token_id text COLLATE "C" NOT NULL,
  actor_name text NOT NULL,
  -- The gateway whose sites come with the code, and further sites that do, as a list in JSON.
  replaces text COLLATE "C",
  site_ids text
);

-- On a cloud: changes that the gateway of a site is asked for.
CREATE TABLE gateway_change (
  id text COLLATE "C" PRIMARY KEY,
  gateway_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL, -- the order in which they are made
  site_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C",
  operation text COLLATE "C" NOT NULL, -- of the HTTP interface
  sealed bytea NOT NULL, -- what travels, encrypted; empty once it is settled
  base text NOT NULL, -- what was known of the record when the change was asked for
  shown text NOT NULL,
  actor_token_id text COLLATE "C" NOT NULL,
  actor_name text NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  awaited_until bigint NOT NULL, -- somebody waits for the answer until then
  state text COLLATE "C" NOT NULL, -- PENDING, DONE, REFUSED or OVERRULED
  settled_at bigint,
  outcome text
);
CREATE INDEX gateway_change_pending ON gateway_change (gateway_id, number) WHERE state = 'PENDING';
CREATE INDEX gateway_change_settled ON gateway_change (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX gateway_change_by_site ON gateway_change (site_id, number);
CREATE INDEX gateway_change_by_device ON gateway_change (device_id, number);

-- Records of a gateway that were not taken, each with the reason.
CREATE TABLE gateway_refusal (
  gateway_id text COLLATE "C" NOT NULL REFERENCES gateway (id) ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (gateway_id, kind, key)
);

-- A person has decided that the gateway takes over the site from another one.
CREATE TABLE site_grant (
  site_id text COLLATE "C" PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  gateway_id text COLLATE "C" NOT NULL REFERENCES gateway (id) ON DELETE CASCADE,
  at bigint NOT NULL
);

-- What nodes have to know of each other's changes at once and without fail, such as revoked tokens. A row appears in the
-- transaction of its change. A node reads the rows of transactions that it has not seen yet, and old rows are deleted.
CREATE TABLE node_note (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  stored_at timestamptz NOT NULL DEFAULT now(),
  message text NOT NULL -- JSON
);
CREATE INDEX node_note_by_transaction ON node_note (transaction);

-- Every node has to have the same key for sealed values, and so the same ids of events.
CREATE TABLE installation (
  id smallint PRIMARY KEY CHECK (id = 1),
  seal_key_check bytea
);
INSERT INTO installation (id) VALUES (1);

-- Telemetry: the same journal, segments and chunks that the embedded store keeps. Devices and series have numbers here.
-- The bytes are packed already, so they are stored as they are. Tables that grow are split by device.

CREATE TABLE telemetry_device (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  device_id text COLLATE "C" NOT NULL UNIQUE
);
CREATE TABLE telemetry_series (
  id bigint GENERATED BY DEFAULT AS IDENTITY,
  device bigint NOT NULL,
  attribute text COLLATE "C" NOT NULL,
  kind smallint NOT NULL,
  PRIMARY KEY (id, device),
  UNIQUE (device, attribute, kind)
);
CREATE INDEX telemetry_series_by_device ON telemetry_series (device);

-- The journal has partitions by device, so that several nodes share the telemetry.
CREATE TABLE telemetry_partition (
  partition smallint PRIMARY KEY,
  epoch bigint NOT NULL DEFAULT 0 -- rises with each change of the partition's segments
);
INSERT INTO telemetry_partition (partition) SELECT generate_series(0, 15);

-- The lock on the row lasts until the end of the transaction, so whatever changes segments comes one after the other.
CREATE FUNCTION telemetry_advance(wanted smallint, known bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE telemetry_partition SET epoch = epoch + 1 WHERE partition = wanted AND epoch = coalesce(known, epoch);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the telemetry of partition % was changed meanwhile', wanted USING ERRCODE = 'BB001';
  END IF;
END $$;

-- A commit has the number of its transaction plus the base. The base rises when the records move to a server whose
-- transactions have lower numbers.
CREATE TABLE telemetry_base (base bigint NOT NULL);
INSERT INTO telemetry_base VALUES (0);
CREATE FUNCTION telemetry_commit() RETURNS bigint LANGUAGE sql STABLE AS
  'SELECT base + pg_current_xact_id()::text::bigint FROM telemetry_base';

-- Points that are acknowledged and not sealed yet. Each row knows the commit that stored it, so that a node can read what it
-- has not seen. Rows that cannot be read are kept and no longer replayed.
CREATE TABLE telemetry_journal (
  partition smallint NOT NULL,
  sequence bigint NOT NULL,
  commit bigint NOT NULL DEFAULT telemetry_commit(),
  checksum bigint NOT NULL,
  is_damaged smallint NOT NULL DEFAULT 0,
  is_mark smallint NOT NULL DEFAULT 0, -- says what was sealed
  stored_at timestamptz NOT NULL DEFAULT now(),
  batch bytea NOT NULL,
  PRIMARY KEY (partition, sequence)
);
ALTER TABLE telemetry_journal ALTER COLUMN batch SET STORAGE EXTERNAL;
CREATE INDEX telemetry_journal_by_commit ON telemetry_journal (partition, commit);
-- Each node takes a block of numbers.
CREATE SEQUENCE telemetry_journal_block;

CREATE TABLE telemetry_segment (
  device bigint NOT NULL,
  start bigint NOT NULL, -- Unix milliseconds
  span bigint NOT NULL,
  row_count bigint NOT NULL,
  checksum bigint NOT NULL,
  times bytea NOT NULL,
  PRIMARY KEY (device, start)
) PARTITION BY HASH (device);
ALTER TABLE telemetry_segment ALTER COLUMN times SET STORAGE EXTERNAL;
CREATE INDEX telemetry_segment_by_span ON telemetry_segment (span, start);

CREATE TABLE telemetry_chunk (
  device bigint NOT NULL,
  series bigint NOT NULL,
  start bigint NOT NULL, -- Unix milliseconds
  span bigint NOT NULL,
  count bigint NOT NULL,
  head_checksum bigint NOT NULL,
  parts_checksum bigint NOT NULL,
  checksum bigint NOT NULL,
  head bytea NOT NULL, -- summary and grain
  parts bytea NOT NULL,
  presence bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (device, series, start)
) PARTITION BY HASH (device);
ALTER TABLE telemetry_chunk ALTER COLUMN parts SET STORAGE EXTERNAL;
ALTER TABLE telemetry_chunk ALTER COLUMN presence SET STORAGE EXTERNAL;
ALTER TABLE telemetry_chunk ALTER COLUMN data SET STORAGE EXTERNAL;

DO $$
BEGIN
  FOR n IN 0..7 LOOP
    EXECUTE format('CREATE TABLE telemetry_segment_%s PARTITION OF telemetry_segment FOR VALUES WITH (MODULUS 8, REMAINDER %s)', n, n);
    EXECUTE format('CREATE TABLE telemetry_chunk_%s PARTITION OF telemetry_chunk FOR VALUES WITH (MODULUS 8, REMAINDER %s)', n, n);
  END LOOP;
END $$;

CREATE TABLE telemetry_latest (
  device bigint NOT NULL,
  series bigint NOT NULL,
  at double precision NOT NULL,
  checksum bigint NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (device, series)
) WITH (fillfactor = 70);

-- Points whose time is too far in the future, unless our own clock is wrong.
CREATE TABLE telemetry_held (
  id bigint GENERATED ALWAYS AS IDENTITY,
  device_id text COLLATE "C" NOT NULL,
  at double precision NOT NULL,
  arrived_at double precision NOT NULL,
  points text NOT NULL, -- JSON
  -- The node at which the points arrived, by its block: its clock is the one that may be wrong.
  block bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (id, device_id)
);

-- The reads of a telemetry query as functions. PostgreSQL keeps the plan of a function's statements for a connection, and
-- planning such a read anew takes longer than the read itself. The plan goes by the keys, whatever the tables held when
-- it was made. Compiling it would take longer than running it.

-- Everything that a query needs, if it can be guessed: 1 stands for the values of chunks, 2 for their parts, 3 for both. A
-- chunk without parts comes with its values.
-- The rows have one of these meanings:
--   place > 0: a chunk of the series at this place, with its values and parts if they were guessed and all fit `most_bytes`
--   place < 0: one of the last two chunks of the series that start before `befores`, without values and parts
--   place = 0: the times of a segment, as `head`; its rows and its device are in the two columns for bytes
CREATE FUNCTION telemetry_view(devices bigint[], wanted bigint[], froms bigint[], tos bigint[], guesses bigint[],
  befores bigint[], longest bigint, most bigint, most_bytes bigint)
RETURNS TABLE (place bigint, start bigint, span bigint, head_checksum bigint, head bytea, parts_bytes bigint,
  content_bytes bigint, parts_checksum bigint, parts bytea, checksum bigint, presence bytea, data bytea)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT h.place, h.start, h.span, h.head_checksum, h.head, h.parts_bytes, h.content_bytes,
      h.parts_checksum, CASE WHEN h.is_small AND h.guess & 2 > 0 THEN h.parts END,
      h.checksum, CASE WHEN h.is_small AND h.guess & 1 > 0 THEN h.presence END,
      CASE WHEN h.is_small AND h.guess & 1 > 0 THEN h.data END
    FROM (SELECT *, sum((s.guess & 2) / 2 * s.parts_bytes + (s.guess & 1) * s.content_bytes) OVER () <= most_bytes AS is_small
      FROM (SELECT p.place, CASE WHEN octet_length(c.parts) = 0 THEN (p.guess & 1) | (p.guess & 2) / 2 ELSE p.guess END AS guess,
          c.*, octet_length(c.parts)::bigint AS parts_bytes,
          (octet_length(c.presence) + octet_length(c.data))::bigint AS content_bytes
        FROM unnest(devices, wanted, froms, tos, guesses) WITH ORDINALITY AS p(device, series, at, before, guess, place)
        CROSS JOIN LATERAL (SELECT * FROM telemetry_chunk c WHERE c.device = p.device AND c.series = p.series
          AND c.start > p.at - longest AND c.start < p.before AND c.start + c.span > p.at
          ORDER BY c.start LIMIT most) AS c) AS s) AS h
    ORDER BY h.start, h.place;
  RETURN QUERY SELECT 0::bigint, g.start, g.span, g.checksum,
      CASE WHEN sum(octet_length(g.times)) OVER () <= most_bytes THEN g.times END, g.row_count, g.device,
      NULL::bigint, NULL::bytea, NULL::bigint, NULL::bytea, NULL::bytea
    FROM (SELECT p.device, min(p.at) AS at, max(p.before) AS before
      FROM unnest(devices, wanted, froms, tos, guesses) AS p(device, series, at, before, guess)
      WHERE p.guess & 1 > 0 OR (p.guess > 0 AND EXISTS (SELECT 1 FROM telemetry_chunk c WHERE c.device = p.device
        AND c.series = p.series AND c.start > p.at - longest AND c.start < p.before AND c.start + c.span > p.at
        AND octet_length(c.parts) = 0))
      GROUP BY p.device) AS d
    CROSS JOIN LATERAL (SELECT * FROM telemetry_segment g WHERE g.device = d.device AND g.start > d.at - longest
      AND g.start < d.before AND g.start + g.span > d.at ORDER BY g.start LIMIT most) AS g;
  IF num_nonnulls(VARIADIC befores) > 0 THEN
    RETURN QUERY SELECT -p.place, c.start, c.span, c.head_checksum, c.head, octet_length(c.parts)::bigint,
        (octet_length(c.presence) + octet_length(c.data))::bigint,
        NULL::bigint, NULL::bytea, NULL::bigint, NULL::bytea, NULL::bytea
      FROM unnest(devices, wanted, befores) WITH ORDINALITY AS p(device, series, before, place)
      CROSS JOIN LATERAL (SELECT * FROM telemetry_chunk c WHERE c.device = p.device AND c.series = p.series
        AND c.start < p.before ORDER BY c.start DESC LIMIT 2) AS c
      ORDER BY p.place, c.start DESC;
  END IF;
END $$;

-- Values (0) or parts (1) of chunks, and the times (2) of segments. The first arrays name chunks, the last two segments.
CREATE FUNCTION telemetry_pieces(devices bigint[], wanted bigint[], starts bigint[], kinds bigint[],
  segment_devices bigint[], segment_starts bigint[])
RETURNS TABLE (kind bigint, owner bigint, start bigint, span bigint, row_count bigint, checksum bigint, first bytea, second bytea)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT k.kind, c.series, c.start, 0::bigint, 0::bigint,
      CASE k.kind WHEN 1 THEN c.parts_checksum ELSE c.checksum END,
      CASE k.kind WHEN 1 THEN c.parts ELSE c.presence END,
      CASE k.kind WHEN 1 THEN NULL ELSE c.data END
    FROM unnest(devices, wanted, starts, kinds) AS k(device, series, start, kind)
    JOIN telemetry_chunk c ON c.device = k.device AND c.series = k.series AND c.start = k.start;
  RETURN QUERY SELECT 2::bigint, g.device, g.start, g.span, g.row_count, g.checksum, g.times, NULL::bytea
    FROM unnest(segment_devices, segment_starts) AS k(device, start)
    JOIN telemetry_segment g ON g.device = k.device AND g.start = k.start;
END $$;

-- What partitions of the journal have that a moment does not include: a row (0) for each partition, and rows with points
-- (1) or marks (2). `runnings` are the transactions that ran at that moment.
CREATE FUNCTION telemetry_news(partitions smallint[], firsts bigint[], ends bigint[], runnings text[])
RETURNS TABLE (kind bigint, partition bigint, first bigint, second bigint, checksum bigint, bytes bytea)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT 0::bigint, p.partition::bigint, p.epoch, b.base, 0::bigint,
      convert_to(pg_current_snapshot()::text, 'UTF8')
    FROM telemetry_partition p, telemetry_base b WHERE p.partition = ANY (partitions);
  RETURN QUERY SELECT CASE j.is_mark WHEN 1 THEN 2::bigint ELSE 1::bigint END, j.partition::bigint,
      j.commit, j.sequence, j.checksum, j.batch
    FROM unnest(partitions, firsts, ends, runnings) AS known(partition, first, finish, running)
    JOIN telemetry_journal j ON j.partition = known.partition AND j.commit >= known.first
      AND (j.commit >= known.finish OR j.commit = ANY (known.running::bigint[]))
    WHERE j.is_damaged = 0;
END $$;
