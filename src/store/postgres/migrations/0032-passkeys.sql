-- Public keys of people, whose private halves are in their devices.
CREATE TABLE passkey (
  id text COLLATE "C" PRIMARY KEY, -- chosen by the device
  account_id text COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  host text COLLATE "C" NOT NULL,
  public_key bytea NOT NULL,
  use_count bigint NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint
);
CREATE INDEX passkey_by_account ON passkey (account_id, created_at, id);

-- Challenges that a device has signed: they are not accepted again.
CREATE TABLE used_challenge (
  key text COLLATE "C" PRIMARY KEY,
  expires_at bigint NOT NULL
);
CREATE INDEX used_challenge_by_end ON used_challenge (expires_at);
