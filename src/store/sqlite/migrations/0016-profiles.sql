-- Uploaded profiles. One that is no draft never changes.
CREATE TABLE device_profile (
  id TEXT PRIMARY KEY,
  is_draft INTEGER NOT NULL,
  content TEXT NOT NULL, -- JSON
  revision INTEGER NOT NULL -- rises with each write that changes something
) STRICT;
