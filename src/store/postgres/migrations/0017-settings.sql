-- Settings that were changed while the service ran. They win over the configuration.
CREATE TABLE setting (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);
