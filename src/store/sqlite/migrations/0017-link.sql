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
  joined_at INTEGER NOT NULL
) STRICT;

-- On a gateway: the number of the latest change of each record that the cloud has a copy of. Only while there is an uplink.
CREATE TABLE link_change (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  changed INTEGER NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_change_by_number ON link_change (changed);

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
  taken INTEGER NOT NULL -- the number of the gateway's latest change that is stored here
) STRICT, WITHOUT ROWID;

CREATE TABLE join_code (
  id TEXT PRIMARY KEY,
  name TEXT,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The gateway that owns the site: the cloud has a copy of it and of its devices.
ALTER TABLE site ADD COLUMN gateway_id TEXT;
CREATE INDEX site_by_gateway ON site (gateway_id) WHERE gateway_id IS NOT NULL;
