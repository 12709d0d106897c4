-- Codes that sign in once, so that any node takes them. They end after minutes.
CREATE TABLE sign_in_code (
  hash TEXT PRIMARY KEY, -- of the code, which itself is stored nowhere
  token_id TEXT NOT NULL,
  is_for_screen INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
