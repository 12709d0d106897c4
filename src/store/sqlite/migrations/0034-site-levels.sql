-- Of a person: the sites where the level is higher than in `level`, as JSON. See records/access-columns.ts.
ALTER TABLE token ADD COLUMN site_levels TEXT;
