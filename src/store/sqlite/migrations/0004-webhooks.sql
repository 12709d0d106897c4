CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  kinds TEXT NOT NULL, -- JSON array
  sites TEXT, -- JSON array of site ids, NULL for all sites
  level INTEGER NOT NULL, -- of whoever registered it: it is told nothing that takes more
  secret BLOB NOT NULL, -- encrypted
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is to be told, and for a while what was told. Rows appear in the transaction of what happened.
CREATE TABLE webhook_delivery (
  number INTEGER PRIMARY KEY, -- the order of happening
  id TEXT NOT NULL UNIQUE,
  webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  event TEXT NOT NULL, -- JSON
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  next_attempt_at INTEGER, -- while pending
  give_up_at INTEGER NOT NULL,
  status INTEGER, -- HTTP
  error TEXT,
  finished_at INTEGER
) STRICT;
CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook_id, state, number);
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_attempt_at) WHERE state = 'PENDING';
CREATE INDEX webhook_delivery_by_end ON webhook_delivery (finished_at) WHERE finished_at IS NOT NULL;
