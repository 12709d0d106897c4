-- needs nodes that know 0042
-- Commits to the journal of telemetry are numbered by a row of their partition. The row is locked until the commit, so numbers
-- become visible in their order: a node that has everything up to a number asks for what is above it.
CREATE TABLE telemetry_number (
  partition smallint PRIMARY KEY,
  last bigint NOT NULL -- number of the newest commit to the journal of the partition
) WITH (fillfactor = 10);

-- The hashes of these numbers lie in different sixteenths, so that Citus puts each partition into a part of its own.
UPDATE telemetry_partition SET partition = partition + 1000;
UPDATE telemetry_partition SET partition = ('{1,24,10,5,4,16,0,3,52,28,6,13,2,41,9,11}'::smallint[])[partition - 1000 + 1];
-- Marks name transactions. Without them nodes read again what they hid, and seal it again, with the same result.
DELETE FROM telemetry_journal WHERE is_mark = 1;
UPDATE telemetry_journal SET partition = partition + 1000;
UPDATE telemetry_journal SET partition = ('{1,24,10,5,4,16,0,3,52,28,6,13,2,41,9,11}'::smallint[])[partition - 1000 + 1];
INSERT INTO telemetry_number (partition, last)
  SELECT p.partition, coalesce(max(j.commit), 0) FROM telemetry_partition p LEFT JOIN telemetry_journal j USING (partition)
  GROUP BY p.partition;
ALTER TABLE telemetry_journal ALTER COLUMN commit DROP DEFAULT;

-- Each partition at most once, and on several servers only one partition: each is on one of them. Rows of numbers are locked in one
-- order, so that two nodes do not wait for each other.
CREATE FUNCTION telemetry_append(own smallint, partitions smallint[], sequences bigint[], checksums bigint[], marks smallint[],
  batches bytea[])
RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
  number bigint;
BEGIN
  IF own IS NULL THEN
    WITH locked AS MATERIALIZED (
      SELECT n.partition FROM telemetry_number n WHERE n.partition = ANY (partitions) ORDER BY n.partition FOR UPDATE
    ), numbered AS (
      UPDATE telemetry_number n SET last = n.last + 1 FROM locked WHERE n.partition = locked.partition
      RETURNING n.partition, n.last
    ) INSERT INTO telemetry_journal (partition, sequence, commit, checksum, is_mark, batch)
      SELECT given.partition, given.sequence, numbered.last, given.checksum, given.mark, given.batch
      FROM unnest(partitions, sequences, checksums, marks, batches) AS given(partition, sequence, checksum, mark, batch)
      JOIN numbered ON numbered.partition = given.partition;
  ELSE
    UPDATE telemetry_number SET last = last + 1 WHERE partition = own RETURNING last INTO STRICT number;
    INSERT INTO telemetry_journal (partition, sequence, commit, checksum, is_mark, batch)
      VALUES (own, sequences[1], number, checksums[1], marks[1], batches[1]);
  END IF;
END $$;

-- What partitions of the journal have above the numbers that are known: a row (0) for each partition, with its epoch and its
-- newest number, and rows with points (1) or marks (2). One statement, which sees one state of a partition. On several servers
-- each call is about one partition, `own`, since each is on one of them.
DROP FUNCTION telemetry_news(smallint[], bigint[], bigint[], text[]);
CREATE FUNCTION telemetry_news(own smallint, partitions smallint[], known bigint[])
RETURNS TABLE (kind bigint, partition bigint, first bigint, second bigint, checksum bigint, bytes bytea)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT 0::bigint, p.partition::bigint, p.epoch, n.last, 0::bigint, NULL::bytea
      FROM telemetry_partition p JOIN telemetry_number n ON n.partition = p.partition
      WHERE p.partition = ANY (partitions) AND (own IS NULL OR (p.partition = own AND n.partition = own))
    UNION ALL SELECT CASE j.is_mark WHEN 1 THEN 2::bigint ELSE 1::bigint END, j.partition::bigint,
        j.commit, j.sequence, j.checksum, j.batch
      FROM unnest(partitions, known) AS k(partition, number)
      JOIN telemetry_journal j ON j.partition = k.partition AND j.commit > k.number AND (own IS NULL OR j.partition = own)
      WHERE j.is_damaged = 0;
END $$;
