-- People who sign in by an OpenID provider: who they are there. Only both together say it.
ALTER TABLE account ADD COLUMN provider_issuer text COLLATE "C";
ALTER TABLE account ADD COLUMN provider_subject text COLLATE "C";
CREATE UNIQUE INDEX account_by_provider ON account (provider_issuer, provider_subject);

-- Browsers that were sent to the provider and have not come back. They end after minutes.
CREATE TABLE provider_sign_in (
  state_key text COLLATE "C" PRIMARY KEY, -- of the hash of what the browser brings back, which itself is stored nowhere
  browser_key text COLLATE "C" NOT NULL, -- of the hash of what its cookie holds
  address_block text COLLATE "C" NOT NULL, -- whoever owns the address
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX provider_sign_in_by_address ON provider_sign_in (address_block, created_at);
