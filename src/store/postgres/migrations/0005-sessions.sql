-- Sign-ins of the page. A row is deleted when its session ends.
CREATE TABLE session (
  id text COLLATE "C" PRIMARY KEY,
  token_id text COLLATE "C" NOT NULL,
  token_hash bytea NOT NULL, -- of the token when it signed in: a session ends when its token changes
  hash bytea NOT NULL, -- of the text in the cookie
  previous_hash bytea, -- of the text before the last renewal
  renewed_at bigint NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  last_used_at bigint NOT NULL,
  remote_address text NOT NULL,
  user_agent text NOT NULL
);
CREATE INDEX session_by_token ON session (token_id, last_used_at, id);
