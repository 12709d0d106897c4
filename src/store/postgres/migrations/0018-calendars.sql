-- Calendars of sites: weekly plans, and entries of iCalendar files.
CREATE TABLE site_calendar (
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  timezone text,
  except_names text NOT NULL, -- JSON
  content text NOT NULL, -- JSON of a plan, or iCalendar
  revision bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (site_id, name)
);
