-- Links by which people choose a password: the first one, or another where they forgot theirs. A person has at most one.
CREATE TABLE account_invitation (
  account_id TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE, -- of the code, which itself is stored nowhere
  expires_at INTEGER NOT NULL
) STRICT;
