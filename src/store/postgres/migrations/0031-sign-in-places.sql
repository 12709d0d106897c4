-- Where a person has signed in from, so that it is told of a new place.
CREATE TABLE sign_in_place (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  place text COLLATE "C" NOT NULL, -- a keyed hash of the address: no address can be read here
  last_used_at bigint NOT NULL,
  PRIMARY KEY (account_id, place)
);
