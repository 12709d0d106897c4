-- Commands that run at a time or by a schedule.
CREATE TABLE command_schedule (
  id text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  token_id text COLLATE "C" NOT NULL,
  token_name text NOT NULL,
  is_enabled integer NOT NULL,
  at bigint,
  cron text,
  timezone text NOT NULL,
  missed text NOT NULL,
  late_ms bigint NOT NULL,
  next_at bigint,
  shown text NOT NULL, -- JSON; sensitive arguments are hidden
  revision integer NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  sealed bytea NOT NULL -- the bulk command in the clear
);
CREATE INDEX command_schedule_due ON command_schedule (next_at);
CREATE TABLE schedule_run (
  schedule_id text COLLATE "C" NOT NULL REFERENCES command_schedule (id) ON DELETE CASCADE,
  due_at bigint NOT NULL,
  at bigint NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  bulk_id text COLLATE "C",
  reason text,
  PRIMARY KEY (schedule_id, due_at, outcome)
);
