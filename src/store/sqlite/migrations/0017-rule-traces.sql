-- What rules did and why: the newest of each rule, as JSON.
CREATE TABLE rule_trace (
  rule_id TEXT NOT NULL REFERENCES site_rule (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  trace TEXT NOT NULL,
  PRIMARY KEY (rule_id, at, id)
) STRICT;
-- What a declarative rule remembers: its state, and what it wants that is not done yet. JSON.
CREATE TABLE rule_memory (
  rule_id TEXT PRIMARY KEY REFERENCES site_rule (id) ON DELETE CASCADE,
  memory TEXT NOT NULL
) STRICT;
