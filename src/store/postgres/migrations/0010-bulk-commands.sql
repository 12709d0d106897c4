-- One command for many devices.
CREATE TABLE bulk_command (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  arguments text NOT NULL, -- JSON; sensitive ones are hidden
  sealed bytea NOT NULL, -- all of them in the clear
  rate integer NOT NULL,
  parallel integer NOT NULL,
  stop_after integer,
  state text NOT NULL,
  reason text,
  token_id text COLLATE "C" NOT NULL,
  token_name text NOT NULL,
  created_at bigint NOT NULL,
  ended_at bigint,
  schedule_id text COLLATE "C",
  idempotency_key text COLLATE "C",
  request_digest bytea
);
CREATE UNIQUE INDEX bulk_command_by_key ON bulk_command (token_id, idempotency_key);
CREATE INDEX bulk_command_by_end ON bulk_command (ended_at);
CREATE TABLE bulk_member (
  bulk_id text COLLATE "C" NOT NULL REFERENCES bulk_command (id) ON DELETE CASCADE,
  place integer NOT NULL,
  device text NOT NULL, -- as it was named
  device_id text COLLATE "C",
  site_id text COLLATE "C",
  state text COLLATE "C" NOT NULL,
  execution_id text COLLATE "C", -- stored before the execution is
  begun_at bigint,
  code text,
  message text,
  PRIMARY KEY (bulk_id, place)
);
CREATE INDEX bulk_member_by_state ON bulk_member (bulk_id, state, place);
-- The bulk command that an execution belongs to.
ALTER TABLE execution ADD COLUMN bulk_id text COLLATE "C";
