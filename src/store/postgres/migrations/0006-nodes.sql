-- What nodes have to know of each other's changes at once and without fail, such as revoked tokens. A row appears in the
-- transaction of its change. A node reads the rows of transactions that it has not seen yet, and old rows are deleted.
CREATE TABLE node_note (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  stored_at timestamptz NOT NULL DEFAULT now(),
  message text NOT NULL -- JSON
);
CREATE INDEX node_note_by_transaction ON node_note (transaction);

-- Every node has to have the same key for sealed values, and so the same ids of events.
CREATE TABLE installation (
  id smallint PRIMARY KEY CHECK (id = 1),
  seal_key_check bytea
);
INSERT INTO installation (id) VALUES (1);

-- Finds what a node that has died left open.
CREATE INDEX execution_by_deadline ON execution (deadline) WHERE is_open = 1;
