-- Limits of a site that hold whatever anybody claims.
CREATE TABLE site_interlock (
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  updated_at bigint NOT NULL,
  document text NOT NULL, -- JSON, as people write it
  devices text NOT NULL, -- JSON: the ids of the devices that it names
  PRIMARY KEY (site_id, name)
);
