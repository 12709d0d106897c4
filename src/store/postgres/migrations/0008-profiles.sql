-- Uploaded profiles. One that is no draft never changes.
CREATE TABLE device_profile (
  id text COLLATE "C" PRIMARY KEY,
  is_draft smallint NOT NULL,
  content text NOT NULL, -- JSON
  revision bigint NOT NULL -- rises with each write that changes something
);
