-- Rules of sites, what they store and say, and variables of sites.
CREATE TABLE rule_engine (
  site_id text COLLATE "C" PRIMARY KEY REFERENCES site (id) ON DELETE CASCADE,
  state text NOT NULL
);
CREATE TABLE site_rule (
  id text COLLATE "C" PRIMARY KEY,
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  slug text COLLATE "C" NOT NULL,
  is_disabled integer NOT NULL,
  code text NOT NULL, -- base64
  runtime_version text NOT NULL,
  exec_interval text,
  revision bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (site_id, slug)
);
CREATE TABLE rule_storage (
  rule_id text COLLATE "C" NOT NULL REFERENCES site_rule (id) ON DELETE CASCADE,
  key bytea NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (rule_id, key)
);
CREATE TABLE rule_log (
  rule_id text COLLATE "C" NOT NULL REFERENCES site_rule (id) ON DELETE CASCADE,
  sequence bigint NOT NULL,
  at bigint NOT NULL,
  severity text NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (rule_id, sequence)
);
CREATE TABLE site_variable (
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL, -- JSON
  updated_at bigint NOT NULL,
  PRIMARY KEY (site_id, name)
);
