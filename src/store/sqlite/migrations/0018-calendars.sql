-- Calendars of sites: weekly plans, and entries of iCalendar files.
CREATE TABLE site_calendar (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  timezone TEXT,
  except_names TEXT NOT NULL, -- JSON
  content TEXT NOT NULL, -- JSON of a plan, or iCalendar
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (site_id, name)
) STRICT;
