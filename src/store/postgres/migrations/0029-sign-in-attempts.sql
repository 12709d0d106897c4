-- How often somebody tried to sign in, so that limits hold on all nodes and after a restart.
CREATE TABLE sign_in_attempt (
  source text COLLATE "C" PRIMARY KEY, -- a keyed hash of the kind of limit and of whom it is counted for: no address can be read here
  count bigint NOT NULL,
  ends_at bigint NOT NULL
);
CREATE INDEX sign_in_attempt_by_end ON sign_in_attempt (ends_at);
