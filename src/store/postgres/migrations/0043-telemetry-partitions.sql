-- needs nodes that know 0043
-- Everything of a partition has its number in its keys, so that tables can be spread by it: a partition is then on one server.
CREATE TABLE new_segment (
  partition smallint NOT NULL,
  device bigint NOT NULL,
  start bigint NOT NULL, -- Unix milliseconds
  span bigint NOT NULL,
  row_count bigint NOT NULL,
  checksum bigint NOT NULL,
  times bytea NOT NULL,
  PRIMARY KEY (partition, device, start)
);
ALTER TABLE new_segment ALTER COLUMN times SET STORAGE EXTERNAL;
INSERT INTO new_segment
  SELECT ('{1,24,10,5,4,16,0,3,52,28,6,13,2,41,9,11}'::smallint[])[device % 16 + 1], device, start, span, row_count, checksum, times
  FROM telemetry_segment;
DROP TABLE telemetry_segment;
ALTER TABLE new_segment RENAME TO telemetry_segment;
ALTER INDEX new_segment_pkey RENAME TO telemetry_segment_pkey;
CREATE INDEX telemetry_segment_by_span ON telemetry_segment (partition, span, start);

CREATE TABLE new_chunk (
  partition smallint NOT NULL,
  device bigint NOT NULL,
  series bigint NOT NULL,
  start bigint NOT NULL, -- Unix milliseconds
  span bigint NOT NULL,
  count bigint NOT NULL,
  head_checksum bigint NOT NULL,
  parts_checksum bigint NOT NULL,
  checksum bigint NOT NULL,
  head bytea NOT NULL, -- summary and grain
  parts bytea NOT NULL,
  presence bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (partition, device, series, start)
);
ALTER TABLE new_chunk ALTER COLUMN parts SET STORAGE EXTERNAL;
ALTER TABLE new_chunk ALTER COLUMN presence SET STORAGE EXTERNAL;
ALTER TABLE new_chunk ALTER COLUMN data SET STORAGE EXTERNAL;
INSERT INTO new_chunk
  SELECT ('{1,24,10,5,4,16,0,3,52,28,6,13,2,41,9,11}'::smallint[])[device % 16 + 1], device, series, start, span, count,
    head_checksum, parts_checksum, checksum, head, parts, presence, data
  FROM telemetry_chunk;
DROP TABLE telemetry_chunk;
ALTER TABLE new_chunk RENAME TO telemetry_chunk;
ALTER INDEX new_chunk_pkey RENAME TO telemetry_chunk_pkey;

ALTER TABLE telemetry_latest ADD COLUMN partition smallint;
UPDATE telemetry_latest SET partition = ('{1,24,10,5,4,16,0,3,52,28,6,13,2,41,9,11}'::smallint[])[device % 16 + 1];
ALTER TABLE telemetry_latest ALTER COLUMN partition SET NOT NULL;
ALTER TABLE telemetry_latest DROP CONSTRAINT telemetry_latest_pkey;
ALTER TABLE telemetry_latest ADD PRIMARY KEY (partition, device, series);

-- As before, with these differences. On several servers each call is about one partition, `own`, since each is on one of them.
-- One statement, which sees one state of a partition; a row with neither place nor sum gives a partition and its epoch.
DROP FUNCTION telemetry_view(bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint, bigint, bigint);
CREATE FUNCTION telemetry_view(own smallint, places bigint[], partitions smallint[], devices bigint[], wanted bigint[],
  froms bigint[], tos bigint[], guesses bigint[], befores bigint[], longest bigint, most bigint, most_bytes bigint)
RETURNS TABLE (place bigint, start bigint, span bigint, head_checksum bigint, head bytea, parts_bytes bigint,
  content_bytes bigint, parts_checksum bigint, parts bytea, checksum bigint, presence bytea, data bytea)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT NULL::bigint, e.partition::bigint, e.epoch, NULL::bigint, NULL::bytea, NULL::bigint, NULL::bigint,
      NULL::bigint, NULL::bytea, NULL::bigint, NULL::bytea, NULL::bytea
    FROM telemetry_partition e WHERE e.partition = ANY (partitions) AND (own IS NULL OR e.partition = own)
  UNION ALL (SELECT h.place, h.start, h.span, h.head_checksum, h.head, h.parts_bytes, h.content_bytes,
      h.parts_checksum, CASE WHEN h.is_small AND h.guess & 2 > 0 THEN h.parts END,
      h.checksum, CASE WHEN h.is_small AND h.guess & 1 > 0 THEN h.presence END,
      CASE WHEN h.is_small AND h.guess & 1 > 0 THEN h.data END
    FROM (SELECT *, sum((s.guess & 2) / 2 * s.parts_bytes + (s.guess & 1) * s.content_bytes) OVER () <= most_bytes AS is_small
      FROM (SELECT p.place, CASE WHEN octet_length(c.parts) = 0 THEN (p.guess & 1) | (p.guess & 2) / 2 ELSE p.guess END AS guess,
          c.*, octet_length(c.parts)::bigint AS parts_bytes,
          (octet_length(c.presence) + octet_length(c.data))::bigint AS content_bytes
        FROM unnest(places, partitions, devices, wanted, froms, tos, guesses)
          AS p(place, partition, device, series, at, before, guess)
        CROSS JOIN LATERAL (SELECT * FROM telemetry_chunk c WHERE c.partition = p.partition AND (own IS NULL OR c.partition = own)
          AND c.device = p.device AND c.series = p.series
          AND c.start > p.at - longest AND c.start < p.before AND c.start + c.span > p.at
          ORDER BY c.start LIMIT most) AS c) AS s) AS h
    ORDER BY h.start, h.place)
  UNION ALL (SELECT 0::bigint, g.start, g.span, g.checksum,
      CASE WHEN sum(octet_length(g.times)) OVER () <= most_bytes THEN g.times END, g.row_count, g.device,
      NULL::bigint, NULL::bytea, NULL::bigint, NULL::bytea, NULL::bytea
    FROM (SELECT p.partition, p.device, min(p.at) AS at, max(p.before) AS before
      FROM unnest(partitions, devices, wanted, froms, tos, guesses) AS p(partition, device, series, at, before, guess)
      WHERE p.guess & 1 > 0 OR (p.guess > 0 AND EXISTS (SELECT 1 FROM telemetry_chunk c WHERE c.partition = p.partition
        AND (own IS NULL OR c.partition = own) AND c.device = p.device
        AND c.series = p.series AND c.start > p.at - longest AND c.start < p.before AND c.start + c.span > p.at
        AND octet_length(c.parts) = 0))
      GROUP BY p.partition, p.device) AS d
    CROSS JOIN LATERAL (SELECT * FROM telemetry_segment g WHERE g.partition = d.partition AND (own IS NULL OR g.partition = own)
      AND g.device = d.device AND g.start > d.at - longest
      AND g.start < d.before AND g.start + g.span > d.at ORDER BY g.start LIMIT most) AS g)
  UNION ALL (SELECT -p.place, c.start, c.span, c.head_checksum, c.head, octet_length(c.parts)::bigint,
      (octet_length(c.presence) + octet_length(c.data))::bigint,
      NULL::bigint, NULL::bytea, NULL::bigint, NULL::bytea, NULL::bytea
    FROM unnest(places, partitions, devices, wanted, befores) AS p(place, partition, device, series, before)
    CROSS JOIN LATERAL (SELECT * FROM telemetry_chunk c WHERE c.partition = p.partition AND (own IS NULL OR c.partition = own)
      AND c.device = p.device AND c.series = p.series
      AND c.start < p.before ORDER BY c.start DESC LIMIT 2) AS c
    WHERE p.before IS NOT NULL
    ORDER BY p.place, c.start DESC);
END $$;

DROP FUNCTION telemetry_pieces(bigint[], bigint[], bigint[], bigint[], bigint[], bigint[]);
CREATE FUNCTION telemetry_pieces(own smallint, partitions smallint[], devices bigint[], wanted bigint[], starts bigint[],
  kinds bigint[], segment_partitions smallint[], segment_devices bigint[], segment_starts bigint[])
RETURNS TABLE (kind bigint, owner bigint, start bigint, span bigint, row_count bigint, checksum bigint, first bytea, second bytea)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT k.kind, c.series, c.start, 0::bigint, 0::bigint,
      CASE k.kind WHEN 1 THEN c.parts_checksum ELSE c.checksum END,
      CASE k.kind WHEN 1 THEN c.parts ELSE c.presence END,
      CASE k.kind WHEN 1 THEN NULL ELSE c.data END
    FROM unnest(partitions, devices, wanted, starts, kinds) AS k(partition, device, series, start, kind)
    JOIN telemetry_chunk c ON c.partition = k.partition AND (own IS NULL OR c.partition = own)
      AND c.device = k.device AND c.series = k.series AND c.start = k.start
  UNION ALL SELECT 2::bigint, g.device, g.start, g.span, g.row_count, g.checksum, g.times, NULL::bytea
    FROM unnest(segment_partitions, segment_devices, segment_starts) AS k(partition, device, start)
    JOIN telemetry_segment g ON g.partition = k.partition AND (own IS NULL OR g.partition = own)
      AND g.device = k.device AND g.start = k.start;
END $$;
