-- Programs in terminals that wait for a person to let them in. They end after minutes.
CREATE TABLE terminal_sign_in (
  program_key TEXT PRIMARY KEY, -- of the hash of the program's code, which itself is stored nowhere
  user_key TEXT NOT NULL UNIQUE, -- of the hash of the code that a person types
  program TEXT NOT NULL, -- what the program says that it is
  asked_level TEXT, -- NULL: any
  remote_address TEXT NOT NULL,
  address_block TEXT NOT NULL, -- whoever owns the address
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decision TEXT -- JSON; NULL: nobody has decided
) STRICT;
CREATE INDEX terminal_sign_in_by_address ON terminal_sign_in (address_block, created_at);
