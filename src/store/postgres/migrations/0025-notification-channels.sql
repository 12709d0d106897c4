-- How people of a site are reached.
CREATE TABLE notification_channel (
  id text COLLATE "C" PRIMARY KEY,
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  target text NOT NULL, -- JSON
  sealed_secret bytea,
  language text NOT NULL,
  quiet_calendar text,
  quiet_except text,
  allow_private smallint NOT NULL,
  level smallint NOT NULL, -- of the token that made it
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (site_id, name)
);
