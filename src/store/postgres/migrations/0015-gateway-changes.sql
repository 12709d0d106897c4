-- On a cloud: changes that the gateway of a site is asked for.
CREATE TABLE gateway_change (
  id text COLLATE "C" PRIMARY KEY,
  gateway_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL, -- the order in which they are made
  site_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C",
  operation text COLLATE "C" NOT NULL, -- of the HTTP interface
  sealed bytea NOT NULL, -- what travels, encrypted; empty once it is settled
  base text NOT NULL, -- what was known of the record when the change was asked for
  shown text NOT NULL,
  actor_token_id text COLLATE "C" NOT NULL,
  actor_name text NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  awaited_until bigint NOT NULL, -- somebody waits for the answer until then
  state text COLLATE "C" NOT NULL, -- PENDING, DONE, REFUSED or OVERRULED
  settled_at bigint,
  outcome text
);
CREATE INDEX gateway_change_pending ON gateway_change (gateway_id, number) WHERE state = 'PENDING';
CREATE INDEX gateway_change_settled ON gateway_change (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX gateway_change_by_site ON gateway_change (site_id, number);
CREATE INDEX gateway_change_by_device ON gateway_change (device_id, number);
