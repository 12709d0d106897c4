-- Links by which people choose a password: the first one, or another where they forgot theirs. A person has at most one.
CREATE TABLE account_invitation (
  account_id text COLLATE "C" PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL UNIQUE, -- of the code, which itself is stored nowhere
  expires_at bigint NOT NULL
);
