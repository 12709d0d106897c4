-- Through which door a call came, such as page, cli or token; NULL: it is not known.
ALTER TABLE audit ADD COLUMN door TEXT;
ALTER TABLE audit ADD COLUMN account_id TEXT; -- the person who called, with a session or with a token of that person
ALTER TABLE alert ADD COLUMN acknowledged_door TEXT;
ALTER TABLE control_claim ADD COLUMN door TEXT;
ALTER TABLE bulk_command ADD COLUMN door TEXT;
