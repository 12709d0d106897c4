-- The second factor of a person: a secret that an app makes codes with.
CREATE TABLE second_factor (
  account_id TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  sealed_secret BLOB NOT NULL,
  confirmed_at INTEGER, -- NULL: offered only, and not asked for
  last_step INTEGER NOT NULL -- the time step of the last code that was accepted: it and all before it are used
) STRICT;

-- Codes for a person whose app is gone. Each works once and is deleted then.
CREATE TABLE recovery_code (
  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  PRIMARY KEY (account_id, hash)
) STRICT;

-- Sign-ins whose password was right and whose second factor is missing. They end after minutes.
CREATE TABLE sign_in_step (
  hash TEXT PRIMARY KEY, -- of the text that the browser has, which itself is stored nowhere
  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  token_hash BLOB NOT NULL, -- of the person's access then: a new password ends the sign-in
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_step_by_account ON sign_in_step (account_id, created_at);
