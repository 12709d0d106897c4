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
  joined_at bigint NOT NULL
);

-- On a gateway: the number of the latest change of each record that the cloud has a copy of. Only while there is an uplink.
CREATE TABLE link_change (
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  changed bigint NOT NULL,
  PRIMARY KEY (kind, key)
);
CREATE INDEX link_change_by_number ON link_change (changed);

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
  taken bigint NOT NULL -- the number of the gateway's latest change that is stored here
);

CREATE TABLE join_code (
  id text COLLATE "C" PRIMARY KEY,
  name text,
  hash bytea NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);

-- The gateway that owns the site: the cloud has a copy of it and of its devices.
ALTER TABLE site ADD COLUMN gateway_id text COLLATE "C";
CREATE INDEX site_by_gateway ON site (gateway_id) WHERE gateway_id IS NOT NULL;
