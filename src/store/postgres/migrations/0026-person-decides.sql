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

-- The gateway whose sites come with the code, and further sites that do, as a list in JSON.
ALTER TABLE join_code ADD COLUMN replaces text COLLATE "C";
ALTER TABLE join_code ADD COLUMN site_ids text;

-- The gateway that reported the entry; without one it was written here.
ALTER TABLE audit ADD COLUMN reported_by text COLLATE "C";
