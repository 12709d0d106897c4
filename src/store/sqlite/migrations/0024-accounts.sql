-- People. What a person may do is in the row of token with the same id, for which there is no text: its name, level and sites.
CREATE TABLE account (
  id TEXT PRIMARY KEY,
  mail TEXT NOT NULL,
  mail_key TEXT NOT NULL UNIQUE, -- in small letters
  password TEXT, -- argon2id with its parameters; NULL: nobody can sign in with one
  language TEXT, -- NULL: as the browser says
  time_format TEXT,
  suspended_at INTEGER
) STRICT;

-- The person whose token it is; NULL: the installation's. A person's own access has its own id here.
ALTER TABLE token ADD COLUMN account_id TEXT;
CREATE INDEX token_by_account ON token (account_id);
