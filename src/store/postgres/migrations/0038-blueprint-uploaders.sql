-- Who uploaded it and how: a JSON list of token, name, person, door and the gateway that says so; NULL: it is not known.
ALTER TABLE blueprint ADD COLUMN uploaded_by text;
