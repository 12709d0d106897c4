-- Public keys of people, whose private halves are in their devices.
CREATE TABLE passkey (
  id TEXT PRIMARY KEY, -- chosen by the device
  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  public_key BLOB NOT NULL,
  use_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX passkey_by_account ON passkey (account_id, created_at, id);

-- Challenges that a device has signed: they are not accepted again.
CREATE TABLE used_challenge (
  key TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX used_challenge_by_end ON used_challenge (expires_at);
