-- What people say about doubtful steps of counters. The points stay as they are.
CREATE TABLE counter_correction (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  attribute text COLLATE "C" NOT NULL,
  before_at bigint NOT NULL,
  value_before text NOT NULL, -- readings are decimal numbers, written as in JSON
  at bigint NOT NULL,
  value text NOT NULL,
  kind text NOT NULL,
  new_start text,
  note text,
  token_id text COLLATE "C" NOT NULL,
  author text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (device_id, attribute, at)
);
