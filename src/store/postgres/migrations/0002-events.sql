-- The events that listeners can resume. Rows appear in the transaction of what happened.
CREATE TABLE event (
  position bigint PRIMARY KEY, -- the number of the change
  at bigint NOT NULL, -- when it happened
  stored_at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  site_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  read_level smallint NOT NULL,
  execution_id text COLLATE "C", -- whose row and log hold the rest
  bytes bigint NOT NULL,
  -- Bytes of all events ever stored, up to and including this one. Transactions that run at the same time do not count
  -- each other, so it is a rough figure.
  total bigint NOT NULL,
  data text NOT NULL -- JSON
);
