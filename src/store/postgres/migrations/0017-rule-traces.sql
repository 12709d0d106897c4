-- What rules did and why: the newest of each rule, as JSON.
CREATE TABLE rule_trace (
  rule_id text COLLATE "C" NOT NULL REFERENCES site_rule (id) ON DELETE CASCADE,
  at bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  trace text NOT NULL,
  PRIMARY KEY (rule_id, at, id)
);
-- What a declarative rule remembers: its state, and what it wants that is not done yet. JSON.
CREATE TABLE rule_memory (
  rule_id text COLLATE "C" PRIMARY KEY REFERENCES site_rule (id) ON DELETE CASCADE,
  memory text NOT NULL
);
