-- Whose token created it, as a list in JSON: its id and its name. A gateway that gets it takes it for a claim of this caller.
ALTER TABLE execution ADD COLUMN caller text;
