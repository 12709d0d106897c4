-- Programs in terminals that wait for a person to let them in. They end after minutes.
CREATE TABLE terminal_sign_in (
  program_key text COLLATE "C" PRIMARY KEY, -- of the hash of the program's code, which itself is stored nowhere
  user_key text COLLATE "C" NOT NULL UNIQUE, -- of the hash of the code that a person types
  program text NOT NULL, -- what the program says that it is
  asked_level text, -- NULL: any
  remote_address text NOT NULL,
  address_block text COLLATE "C" NOT NULL, -- whoever owns the address
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  decision text -- JSON; NULL: nobody has decided
);
CREATE INDEX terminal_sign_in_by_address ON terminal_sign_in (address_block, created_at);
