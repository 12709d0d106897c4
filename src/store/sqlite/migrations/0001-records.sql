-- Times are Unix milliseconds, ids are UUIDs as text. Deleting is refused or cascades by foreign keys, which are on.

CREATE TABLE site (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  timezone TEXT NOT NULL,
  location TEXT, -- JSON
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
  issued_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE device_property (
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL, -- JSON
  received_at INTEGER NOT NULL,
  PRIMARY KEY (device_id, name)
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
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

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
  details TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit (at, id);
CREATE INDEX audit_by_site ON audit (site_id, at, id) WHERE site_id IS NOT NULL;
CREATE INDEX audit_by_actor ON audit (actor_token_id, at, id) WHERE actor_token_id IS NOT NULL;
