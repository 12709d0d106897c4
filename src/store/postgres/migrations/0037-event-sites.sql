-- How much of the outbox each site holds, and what it has lost: records/event-room.ts.
CREATE TABLE event_site (
  site_id text COLLATE "C" PRIMARY KEY,
  bytes bigint NOT NULL, -- of its events that are counted and kept
  cut bigint NOT NULL -- its events up to this position may be missing; 0: none
);
CREATE INDEX event_site_by_bytes ON event_site (bytes);
CREATE INDEX event_site_by_cut ON event_site (cut);

CREATE TABLE event_tally (
  id smallint PRIMARY KEY CHECK (id = 1),
  counted bigint NOT NULL, -- events up to this position are counted
  total bigint NOT NULL, -- of the last of them
  bytes bigint NOT NULL, -- of those that are kept
  cut bigint NOT NULL, -- events of all sites up to this position may be missing; 0: none
  oldest bigint NOT NULL -- the oldest event when events were last deleted
);

CREATE INDEX event_by_site ON event (site_id, position);
