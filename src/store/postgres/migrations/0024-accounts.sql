-- People. What a person may do is in the row of token with the same id, for which there is no text: its name, level and sites.
CREATE TABLE account (
  id text COLLATE "C" PRIMARY KEY,
  mail text NOT NULL,
  mail_key text COLLATE "C" NOT NULL UNIQUE, -- in small letters
  password text, -- argon2id with its parameters; NULL: nobody can sign in with one
  language text, -- NULL: as the browser says
  time_format text,
  suspended_at bigint
);

-- The person whose token it is; NULL: the installation's. A person's own access has its own id here.
ALTER TABLE token ADD COLUMN account_id text COLLATE "C";
CREATE INDEX token_by_account ON token (account_id);
