-- Codes that sign in once, so that any node takes them. They end after minutes.
CREATE TABLE sign_in_code (
  hash text COLLATE "C" PRIMARY KEY, -- of the code, which itself is stored nowhere
  token_id text COLLATE "C" NOT NULL,
  is_for_screen smallint NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
