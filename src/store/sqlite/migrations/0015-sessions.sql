-- Sign-ins of the page. A row is deleted when its session ends.
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  token_id TEXT NOT NULL,
  token_hash BLOB NOT NULL, -- of the token when it signed in: a session ends when its token changes
  hash BLOB NOT NULL, -- of the text in the cookie
  previous_hash BLOB, -- of the text before the last renewal
  renewed_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  remote_address TEXT NOT NULL,
  user_agent TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_token ON session (token_id, last_used_at, id);
