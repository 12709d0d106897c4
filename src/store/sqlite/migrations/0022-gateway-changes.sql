-- On a cloud: changes that the gateway of a site is asked for.
CREATE TABLE gateway_change (
  id TEXT PRIMARY KEY,
  gateway_id TEXT NOT NULL,
  number INTEGER NOT NULL, -- the order in which they are made
  site_id TEXT NOT NULL,
  device_id TEXT,
  operation TEXT NOT NULL, -- of the HTTP interface
  sealed BLOB NOT NULL, -- what travels, encrypted; empty once it is settled
  base TEXT NOT NULL, -- what was known of the record when the change was asked for
  shown TEXT NOT NULL,
  actor_token_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  awaited_until INTEGER NOT NULL, -- somebody waits for the answer until then
  state TEXT NOT NULL, -- PENDING, DONE, REFUSED or OVERRULED
  settled_at INTEGER,
  outcome TEXT
) STRICT;
CREATE INDEX gateway_change_pending ON gateway_change (gateway_id, number) WHERE state = 'PENDING';
CREATE INDEX gateway_change_settled ON gateway_change (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX gateway_change_by_site ON gateway_change (site_id, number);
CREATE INDEX gateway_change_by_device ON gateway_change (device_id, number);
