-- Through which door the claim came that controlled it; NULL: nobody's, or it is not known.
ALTER TABLE control_history ADD COLUMN door TEXT;
