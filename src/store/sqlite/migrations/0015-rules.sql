-- Rules of sites, what they store and say, and variables of sites.
CREATE TABLE rule_engine (
  site_id TEXT PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  state TEXT NOT NULL
) STRICT;
CREATE TABLE site_rule (
  id TEXT PRIMARY KEY,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  is_disabled INTEGER NOT NULL,
  code TEXT NOT NULL, -- base64
  runtime_version TEXT NOT NULL,
  exec_interval TEXT,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (site_id, slug)
) STRICT;
CREATE TABLE rule_storage (
  rule_id TEXT NOT NULL REFERENCES site_rule (id) ON DELETE CASCADE,
  key BLOB NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (rule_id, key)
) STRICT;
CREATE TABLE rule_log (
  rule_id TEXT NOT NULL REFERENCES site_rule (id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  severity TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (rule_id, sequence)
) STRICT;
CREATE TABLE site_variable (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL, -- JSON
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (site_id, name)
) STRICT;
