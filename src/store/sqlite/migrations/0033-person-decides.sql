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

-- The gateway whose sites come with the code, and further sites that do, as a list in JSON.
ALTER TABLE join_code ADD COLUMN replaces TEXT;
ALTER TABLE join_code ADD COLUMN site_ids TEXT;

-- The gateway that reported the entry; without one it was written here.
ALTER TABLE audit ADD COLUMN reported_by TEXT;
