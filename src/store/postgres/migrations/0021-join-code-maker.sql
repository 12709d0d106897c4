-- Who made the code. Codes of former versions do not tell.
ALTER TABLE join_code ADD COLUMN actor_token_id text COLLATE "C";
ALTER TABLE join_code ADD COLUMN actor_name text;
