-- How much of the outbox each site holds, and what it has lost: records/event-room.ts.
CREATE TABLE event_site (
  site_id TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL, -- of its events that are counted and kept
  cut INTEGER NOT NULL -- its events up to this position may be missing; 0: none
) STRICT, WITHOUT ROWID;
CREATE INDEX event_site_by_bytes ON event_site (bytes);
CREATE INDEX event_site_by_cut ON event_site (cut);

CREATE TABLE event_tally (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  counted INTEGER NOT NULL, -- events up to this position are counted
  total INTEGER NOT NULL, -- of the last of them
  bytes INTEGER NOT NULL, -- of those that are kept
  cut INTEGER NOT NULL, -- events of all sites up to this position may be missing; 0: none
  oldest INTEGER NOT NULL -- the oldest event when events were last deleted
) STRICT;

CREATE INDEX event_by_site ON event (site_id, position);
