-- Times are Unix milliseconds, ids are UUIDs as text. Deleting is refused or cascades by foreign keys, which are on.
-- Tables with values of which others choose the size have row numbers. In a table without them the rows are the index: a
-- search compares whole rows, so each step past somebody's row of 1 MiB reads that megabyte. What may be large is the last
-- column: a column behind it would be read by way of it.

CREATE TABLE site (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  timezone TEXT NOT NULL,
  location TEXT, -- JSON
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  gateway_id TEXT, -- the gateway that owns the site: the cloud has a copy of it and of its devices
  -- Whether nobody has said yet in which time zone the site is: the first start took that of the machine, or nothing was
  -- given.
  timezone_assumed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX site_by_gateway ON site (gateway_id) WHERE gateway_id IS NOT NULL;

CREATE TABLE blueprint (
  id TEXT PRIMARY KEY,
  display_name TEXT NOT NULL,
  version INTEGER NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  implements TEXT NOT NULL, -- JSON array of profile ids
  created_at INTEGER NOT NULL,
  UNIQUE (display_name, version)
) STRICT, WITHOUT ROWID;

-- Apart from blueprint, so that listing never touches the bytes.
CREATE TABLE blueprint_content (
  blueprint_id TEXT PRIMARY KEY REFERENCES blueprint (id) ON DELETE CASCADE,
  content BLOB NOT NULL
) STRICT;

-- Uploaded profiles. One that is no draft never changes.
CREATE TABLE device_profile (
  id TEXT PRIMARY KEY,
  is_draft INTEGER NOT NULL,
  content TEXT NOT NULL, -- JSON
  revision INTEGER NOT NULL -- rises with each write that changes something
) STRICT;

CREATE TABLE device (
  id TEXT PRIMARY KEY,
  site_id TEXT NOT NULL REFERENCES site (id),
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  type TEXT NOT NULL,
  blueprint_id TEXT REFERENCES blueprint (id),
  parent_id TEXT REFERENCES device (id),
  child_type TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (site_id, slug)
) STRICT, WITHOUT ROWID;
CREATE INDEX device_by_slug ON device (slug);
CREATE INDEX device_by_site ON device (site_id, id);
CREATE INDEX device_by_parent ON device (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX device_by_blueprint ON device (blueprint_id) WHERE blueprint_id IS NOT NULL;

CREATE TABLE device_credential (
  device_id TEXT PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  hardware_id TEXT NOT NULL UNIQUE,
  channel_id TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  issued_at INTEGER NOT NULL,
  protocol TEXT NOT NULL DEFAULT 'MQTT', -- what the settings of the device were generated for: MQTT or MQTTS
  broker_password TEXT -- as Mosquitto keeps it: hashed with a salt of its own; NULL for certificates
) STRICT, WITHOUT ROWID;

CREATE TABLE device_property (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  value TEXT NOT NULL, -- JSON
  PRIMARY KEY (device_id, name)
) STRICT;

CREATE TABLE device_configuration (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  bucket TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  shown TEXT NOT NULL, -- JSON, sensitive values hidden
  sealed BLOB NOT NULL, -- all values in the clear, encrypted
  PRIMARY KEY (device_id, bucket)
) STRICT;

CREATE TABLE device_log (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  received_at INTEGER NOT NULL, -- Unix microseconds, rising within a device
  taken_at INTEGER NOT NULL,
  severity TEXT NOT NULL,
  message TEXT NOT NULL,
  persist INTEGER NOT NULL,
  PRIMARY KEY (device_id, received_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX device_log_by_age ON device_log (persist, received_at);
CREATE INDEX device_log_by_kind ON device_log (device_id, persist, received_at);

-- How much the log of a device holds, of what persists and of the rest.
CREATE TABLE device_log_size (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  persist INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (device_id, persist)
) STRICT, WITHOUT ROWID;

-- What was changed about a simulated device.
CREATE TABLE simulation (
  device_id TEXT NOT NULL PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  adjustments TEXT NOT NULL -- JSON
) STRICT;

-- What scripts keep by themselves. Keys and values are bytes, as Lua strings are.
CREATE TABLE script_storage (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  key BLOB NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (device_id, key)
) STRICT;

-- What people say about doubtful steps of counters. The points stay as they are.
CREATE TABLE counter_correction (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  attribute TEXT NOT NULL,
  before_at INTEGER NOT NULL,
  value_before TEXT NOT NULL, -- readings are decimal numbers, written as in JSON
  at INTEGER NOT NULL,
  value TEXT NOT NULL,
  kind TEXT NOT NULL,
  new_start TEXT,
  note TEXT,
  token_id TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (device_id, attribute, at)
) STRICT, WITHOUT ROWID;

-- How long the telemetry of a site's devices is kept. An empty attribute stands for all that have no row of their own.
CREATE TABLE telemetry_retention (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  attribute TEXT NOT NULL,
  kept TEXT NOT NULL, -- a duration as given, or unlimited
  PRIMARY KEY (site_id, attribute)
) STRICT, WITHOUT ROWID;

CREATE TABLE token (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  level TEXT NOT NULL,
  sites TEXT, -- JSON array of site ids, NULL for all sites
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER,
  from_cloud INTEGER NOT NULL DEFAULT 0 -- on a gateway: whether it is one of the cloud, which sends and takes it back
) STRICT, WITHOUT ROWID;

-- Sign-ins of the page. A row is deleted when its session ends.
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  token_id TEXT NOT NULL,
  token_hash BLOB NOT NULL, -- of the token when it signed in: a session ends when its token changes
  hash BLOB NOT NULL, -- of the text in the cookie
  previous_hash BLOB, -- of the text before the last renewal
  renewed_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  remote_address TEXT NOT NULL,
  user_agent TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_token ON session (token_id, last_used_at, id);

CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  actor_token_id TEXT,
  actor_name TEXT,
  action TEXT NOT NULL,
  site_id TEXT,
  target TEXT NOT NULL, -- JSON
  outcome TEXT NOT NULL,
  code TEXT,
  request_id TEXT NOT NULL,
  remote_address TEXT NOT NULL,
  details TEXT NOT NULL, -- JSON
  count INTEGER NOT NULL DEFAULT 1, -- repeated refusals are one entry: how many calls it stands for
  last_at INTEGER, -- when the last of them came; NULL for a single call
  reported_by TEXT -- the gateway that reported the entry; without one it was written here
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit (at, id);
CREATE INDEX audit_by_site ON audit (site_id, at, id) WHERE site_id IS NOT NULL;
CREATE INDEX audit_by_actor ON audit (actor_token_id, at, id) WHERE actor_token_id IS NOT NULL;
CREATE INDEX audit_refused_anonymous ON audit (at, id) WHERE outcome = 'REFUSED' AND actor_token_id IS NULL;
CREATE INDEX audit_refused_token ON audit (at, id) WHERE outcome = 'REFUSED' AND actor_token_id IS NOT NULL;

-- Settings that were changed while the service ran. They win over the configuration.
CREATE TABLE setting (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- Executions that agree in everything a list can filter by, except time, form a group. A list is then a merge of few index
-- ranges, and its total is a sum of counters: both stay fast with millions of executions, whatever the filter.
CREATE TABLE execution_group (
  id INTEGER PRIMARY KEY,
  site_id TEXT NOT NULL,
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  manifest_name TEXT NOT NULL,
  state TEXT NOT NULL,
  ephemeral INTEGER NOT NULL,
  read_level INTEGER NOT NULL,
  total INTEGER NOT NULL,
  UNIQUE (device_id, name, manifest_name, state, ephemeral, read_level)
) STRICT;
CREATE INDEX execution_group_by_site ON execution_group (site_id);

-- How many of a group were created in which hour and in which day since 1970. Only of groups with an end state: open
-- executions are few and soon move on. What belongs to a device names the device, as in PostgreSQL, where it is spread over
-- servers by it.
CREATE TABLE execution_hour (
  group_id INTEGER NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  count INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  PRIMARY KEY (group_id, hour, device_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE execution_day (
  group_id INTEGER NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  count INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  PRIMARY KEY (group_id, day, device_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE execution (
  id TEXT NOT NULL PRIMARY KEY,
  group_id INTEGER NOT NULL REFERENCES execution_group (id) ON DELETE CASCADE,
  site_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  attempted INTEGER NOT NULL, -- 1 as soon as the device may have got it
  is_open INTEGER NOT NULL,
  bytes INTEGER NOT NULL DEFAULT 0, -- of the arguments, shown and sealed
  log_bytes INTEGER NOT NULL DEFAULT 0,
  left_out INTEGER NOT NULL DEFAULT 0, -- responses, so that the log holds no more
  left_out_at INTEGER, -- Unix microseconds of the newest of them
  revision INTEGER NOT NULL DEFAULT 1, -- counts the changes that the owner of the execution has stored
  is_remote INTEGER NOT NULL DEFAULT 0, -- 1 when another side is the owner
  changed INTEGER NOT NULL DEFAULT 0, -- the number of its latest change among all changes of these records
  received_at INTEGER, -- Unix microseconds
  response_state TEXT,
  response_payload TEXT, -- JSON
  arguments TEXT NOT NULL, -- JSON, sensitive values hidden
  sealed BLOB -- the arguments in the clear, encrypted; gone with the final state
) STRICT;
CREATE INDEX execution_by_group ON execution (group_id, created_at, id);
CREATE INDEX execution_by_site ON execution (site_id, created_at, id);
CREATE INDEX execution_open ON execution (device_id, created_at, id, bytes) WHERE is_open = 1;
CREATE INDEX execution_by_change ON execution (changed);

CREATE TABLE execution_response (
  execution_id TEXT NOT NULL REFERENCES execution (id) ON DELETE CASCADE,
  received_at INTEGER NOT NULL, -- Unix microseconds
  state TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  changed INTEGER NOT NULL DEFAULT 0, -- the number of the change that brought it
  device_id TEXT NOT NULL,
  payload TEXT, -- JSON
  PRIMARY KEY (execution_id, received_at)
) STRICT;

-- The next number of a change is one more than the highest, also than that of an execution that was deleted since.
CREATE TABLE execution_change (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  deleted INTEGER NOT NULL -- the highest number of a deleted execution
) STRICT;

CREATE TABLE idempotency (
  token_id TEXT NOT NULL,
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  request_digest BLOB NOT NULL,
  execution_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (token_id, device_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

-- One row each time a source of a device raised an alert. It is active while cleared_at is NULL, and history after.
CREATE TABLE alert (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  source TEXT NOT NULL, -- the telemetry attribute that listed it
  alert_id TEXT NOT NULL,
  raised_at INTEGER NOT NULL,
  site_id TEXT NOT NULL,
  blueprint_id TEXT, -- what declared it, or would have; blueprints never change
  severity TEXT NOT NULL,
  read_level INTEGER NOT NULL,
  hardens_at INTEGER NOT NULL,
  hardened_at INTEGER, -- NULL while soft
  cleared_at INTEGER,
  not_confirmed_since INTEGER, -- when a list named it for the last time, once the device has stopped repeating the list
  details TEXT, -- what the device said about the alert, JSON
  PRIMARY KEY (device_id, source, alert_id, raised_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_active_by_device ON alert (device_id, raised_at) WHERE cleared_at IS NULL;
CREATE INDEX alert_active_by_site ON alert (site_id, raised_at) WHERE cleared_at IS NULL;
CREATE INDEX alert_past_by_device ON alert (device_id, raised_at) WHERE cleared_at IS NOT NULL;
CREATE INDEX alert_past_by_site ON alert (site_id, raised_at) WHERE cleared_at IS NOT NULL;
CREATE INDEX alert_by_end ON alert (cleared_at) WHERE cleared_at IS NOT NULL;

-- The events that listeners can resume. Rows appear in the transaction of what happened.
CREATE TABLE event (
  position INTEGER PRIMARY KEY, -- the number of the change
  at INTEGER NOT NULL, -- when it happened
  stored_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  site_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  read_level INTEGER NOT NULL,
  execution_id TEXT, -- whose row and log hold the rest
  bytes INTEGER NOT NULL,
  total INTEGER NOT NULL, -- bytes of all events ever stored, up to and including this one
  data TEXT NOT NULL -- JSON
) STRICT;

CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  kinds TEXT NOT NULL, -- JSON array
  sites TEXT, -- JSON array of site ids, NULL for all sites
  level INTEGER NOT NULL, -- of whoever registered it: it gets nothing that takes more
  secret BLOB NOT NULL, -- encrypted
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is to be delivered, and for a while what was delivered. Rows appear in the transaction of what happened.
CREATE TABLE webhook_delivery (
  number INTEGER PRIMARY KEY, -- the order of happening
  id TEXT NOT NULL UNIQUE,
  webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  event TEXT NOT NULL, -- JSON
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  next_attempt_at INTEGER, -- while pending
  give_up_at INTEGER NOT NULL,
  status INTEGER, -- HTTP
  error TEXT,
  finished_at INTEGER
) STRICT;
CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook_id, state, number);
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_attempt_at) WHERE state = 'PENDING';
CREATE INDEX webhook_delivery_by_end ON webhook_delivery (finished_at) WHERE finished_at IS NOT NULL;

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
  -- The newest alert and log entry that were known of the device before it was its turn: by their own clocks.
  alert_before INTEGER, -- milliseconds
  log_before INTEGER, -- microseconds
  PRIMARY KEY (rollout_id, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX rollout_device_by_stage ON rollout_device (rollout_id, stage, device_id);

-- A random name of these records. A restored backup gets another one, so that the other side of a link starts over.
CREATE TABLE epoch (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch TEXT NOT NULL
) STRICT;

-- On a gateway: the cloud that it has joined.
CREATE TABLE uplink (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  url TEXT NOT NULL,
  gateway_id TEXT NOT NULL,
  credential BLOB NOT NULL, -- encrypted
  joined_at INTEGER NOT NULL,
  history_before INTEGER, -- all telemetry before this time has yet to be uploaded to the cloud; NULL: there is none
  confirmed INTEGER NOT NULL DEFAULT 0, -- the cloud has all changes up to this number, and some of their notes are deleted
  contact_at INTEGER, -- when it was last connected to the cloud
  next_credential BLOB, -- replaces the present one as soon as the cloud accepts it, encrypted
  credential_at INTEGER, -- since when it has the present one
  cloud_epoch TEXT, -- names the cloud's records that have everything; others, such as a restored backup, get everything again
  -- How much stored telemetry the cloud never gets, since it joined. The counts survive a restart.
  history_expired INTEGER NOT NULL DEFAULT 0,
  history_unreadable INTEGER NOT NULL DEFAULT 0,
  former_credential BLOB -- the one before the present one, encrypted: a cloud from a backup may know only it
) STRICT;

-- On a gateway: the number of the latest change of each record that the cloud has a copy of. Only while there is an uplink.
CREATE TABLE link_change (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  changed INTEGER NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_change_by_number ON link_change (changed);

-- On a gateway: hours of which the cloud may lack points.
CREATE TABLE link_hour (
  device_id TEXT NOT NULL,
  hour INTEGER NOT NULL, -- since 1970
  has_expired INTEGER NOT NULL DEFAULT 0, -- points were deleted here before the cloud had them, and the hour was counted
  PRIMARY KEY (device_id, hour)
) STRICT, WITHOUT ROWID;

-- On a cloud: the gateways that have joined, and how far their changes are stored here.
CREATE TABLE gateway (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  credential_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  version TEXT NOT NULL,
  last_seen_at INTEGER,
  is_connected INTEGER NOT NULL, -- to one of the nodes
  epoch TEXT, -- of the gateway's records, once it has connected
  taken INTEGER NOT NULL, -- the number of the gateway's latest change that is stored here
  next_credential_hash BLOB, -- of the credential that the gateway is about to change over to
  must_rotate INTEGER NOT NULL DEFAULT 0, -- whether it shall get another credential
  is_caught_up INTEGER NOT NULL DEFAULT 0 -- whether it has reported, since it connected, what happened while it was away
) STRICT, WITHOUT ROWID;

CREATE TABLE join_code (
  id TEXT PRIMARY KEY,
  name TEXT,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Who made the code.
  actor_token_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  -- The gateway whose sites come with the code, and further sites that do, as a list in JSON.
  replaces TEXT,
  site_ids TEXT
) STRICT, WITHOUT ROWID;

-- On a cloud: changes that the gateway of a site is asked for.
CREATE TABLE gateway_change (
  id TEXT PRIMARY KEY,
  gateway_id TEXT NOT NULL,
  number INTEGER NOT NULL, -- the order in which they are made
  site_id TEXT NOT NULL,
  device_id TEXT,
  operation TEXT NOT NULL, -- of the HTTP interface
  sealed BLOB NOT NULL, -- what travels, encrypted; empty once it is settled
  base TEXT NOT NULL, -- what was known of the record when the change was asked for
  shown TEXT NOT NULL,
  actor_token_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  awaited_until INTEGER NOT NULL, -- somebody waits for the answer until then
  state TEXT NOT NULL, -- PENDING, DONE, REFUSED or OVERRULED
  settled_at INTEGER,
  outcome TEXT
) STRICT;
CREATE INDEX gateway_change_pending ON gateway_change (gateway_id, number) WHERE state = 'PENDING';
CREATE INDEX gateway_change_settled ON gateway_change (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX gateway_change_by_site ON gateway_change (site_id, number);
CREATE INDEX gateway_change_by_device ON gateway_change (device_id, number);

-- Records of a gateway that were not taken, each with the reason.
CREATE TABLE gateway_refusal (
  gateway_id TEXT NOT NULL REFERENCES gateway (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (gateway_id, kind, key)
) STRICT;

-- A person has decided that the gateway takes over the site from another one.
CREATE TABLE site_grant (
  site_id TEXT PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  gateway_id TEXT NOT NULL REFERENCES gateway (id) ON DELETE CASCADE,
  at INTEGER NOT NULL
) STRICT;
