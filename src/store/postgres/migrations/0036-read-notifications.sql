-- Up to when each person has looked at what rules told a site.
CREATE TABLE notification_read (
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  person text COLLATE "C" NOT NULL, -- the account, or the token of nobody
  read_until bigint NOT NULL,
  PRIMARY KEY (site_id, person)
);
CREATE INDEX notification_read_by_person ON notification_read (person);
CREATE INDEX notification_read_by_time ON notification_read (read_until);
