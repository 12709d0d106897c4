-- Whether a gateway that is connected has told what happened while it was away.
ALTER TABLE gateway ADD COLUMN is_caught_up INTEGER NOT NULL DEFAULT 0;
