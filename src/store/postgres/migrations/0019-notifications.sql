-- What rules told the people of sites.
CREATE TABLE notification (
  id text COLLATE "C" PRIMARY KEY,
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  at bigint NOT NULL,
  severity text NOT NULL,
  title text,
  text text NOT NULL,
  source_kind text NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  source_slug text NOT NULL,
  source_key text COLLATE "C" NOT NULL, -- what the source calls it, or its id
  UNIQUE (source_id, source_key)
);
CREATE INDEX notification_by_site ON notification (site_id, at, id);
CREATE INDEX notification_by_time ON notification (at);
