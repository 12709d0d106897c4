-- Counts the changes that the owner of an execution has stored, and whether another side is the owner.
ALTER TABLE execution ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE execution ADD COLUMN is_remote INTEGER NOT NULL DEFAULT 0;
ALTER TABLE execution_response ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;

-- The number of the latest change of an execution, and of the change that brought a response, among all changes of these
-- records. The next number is one more than the highest, also than that of an execution that was deleted since.
ALTER TABLE execution ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE execution_response ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
CREATE TABLE execution_change (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  deleted INTEGER NOT NULL -- the highest number of a deleted execution
) STRICT;
UPDATE execution SET changed = numbered.place
  FROM (SELECT id, row_number() OVER (ORDER BY created_at, id) AS place FROM execution) AS numbered
  WHERE execution.id = numbered.id;
UPDATE execution_response SET changed = (SELECT changed FROM execution WHERE id = execution_id);
CREATE INDEX execution_by_change ON execution (changed);
CREATE TRIGGER execution_deleted AFTER DELETE ON execution
WHEN OLD.changed > coalesce((SELECT deleted FROM execution_change), 0)
BEGIN
  INSERT INTO execution_change (id, deleted) VALUES (1, OLD.changed)
    ON CONFLICT (id) DO UPDATE SET deleted = excluded.deleted; END;
