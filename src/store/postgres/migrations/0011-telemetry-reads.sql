-- The reads of a telemetry query as functions. PostgreSQL keeps the plan of a function's statements for a connection, and
-- planning such a read anew takes longer than the read itself. The plan goes by the keys, whatever the tables held when
-- it was made. Compiling it would take longer than running it.

-- Everything that a query needs, if it can be guessed: 1 stands for the values of chunks, 2 for their parts, 3 for both. A
-- chunk without parts comes with its values.
-- The rows have one of these meanings:
--   place > 0: a chunk of the series at this place, with its values and parts if they were guessed and all fit `most_bytes`
--   place < 0: one of the last two chunks of the series that start before `befores`, without values and parts
--   place = 0: the times of a segment, as `head`; its rows and its device are in the two columns for bytes
CREATE FUNCTION telemetry_view(devices bigint[], wanted bigint[], froms bigint[], tos bigint[], guesses bigint[],
  befores bigint[], longest bigint, most bigint, most_bytes bigint)
RETURNS TABLE (place bigint, start bigint, span bigint, head_checksum bigint, head bytea, parts_bytes bigint,
  content_bytes bigint, parts_checksum bigint, parts bytea, checksum bigint, presence bytea, data bytea)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT h.place, h.start, h.span, h.head_checksum, h.head, h.parts_bytes, h.content_bytes,
      h.parts_checksum, CASE WHEN h.is_small AND h.guess & 2 > 0 THEN h.parts END,
      h.checksum, CASE WHEN h.is_small AND h.guess & 1 > 0 THEN h.presence END,
      CASE WHEN h.is_small AND h.guess & 1 > 0 THEN h.data END
    FROM (SELECT *, sum((s.guess & 2) / 2 * s.parts_bytes + (s.guess & 1) * s.content_bytes) OVER () <= most_bytes AS is_small
      FROM (SELECT p.place, CASE WHEN octet_length(c.parts) = 0 THEN (p.guess & 1) | (p.guess & 2) / 2 ELSE p.guess END AS guess,
          c.*, octet_length(c.parts)::bigint AS parts_bytes,
          (octet_length(c.presence) + octet_length(c.data))::bigint AS content_bytes
        FROM unnest(devices, wanted, froms, tos, guesses) WITH ORDINALITY AS p(device, series, at, before, guess, place)
        CROSS JOIN LATERAL (SELECT * FROM telemetry_chunk c WHERE c.device = p.device AND c.series = p.series
          AND c.start > p.at - longest AND c.start < p.before AND c.start + c.span > p.at
          ORDER BY c.start LIMIT most) AS c) AS s) AS h
    ORDER BY h.start, h.place;
  RETURN QUERY SELECT 0::bigint, g.start, g.span, g.checksum,
      CASE WHEN sum(octet_length(g.times)) OVER () <= most_bytes THEN g.times END, g.row_count, g.device,
      NULL::bigint, NULL::bytea, NULL::bigint, NULL::bytea, NULL::bytea
    FROM (SELECT p.device, min(p.at) AS at, max(p.before) AS before
      FROM unnest(devices, wanted, froms, tos, guesses) AS p(device, series, at, before, guess)
      WHERE p.guess & 1 > 0 OR (p.guess > 0 AND EXISTS (SELECT 1 FROM telemetry_chunk c WHERE c.device = p.device
        AND c.series = p.series AND c.start > p.at - longest AND c.start < p.before AND c.start + c.span > p.at
        AND octet_length(c.parts) = 0))
      GROUP BY p.device) AS d
    CROSS JOIN LATERAL (SELECT * FROM telemetry_segment g WHERE g.device = d.device AND g.start > d.at - longest
      AND g.start < d.before AND g.start + g.span > d.at ORDER BY g.start LIMIT most) AS g;
  IF num_nonnulls(VARIADIC befores) > 0 THEN
    RETURN QUERY SELECT -p.place, c.start, c.span, c.head_checksum, c.head, octet_length(c.parts)::bigint,
        (octet_length(c.presence) + octet_length(c.data))::bigint,
        NULL::bigint, NULL::bytea, NULL::bigint, NULL::bytea, NULL::bytea
      FROM unnest(devices, wanted, befores) WITH ORDINALITY AS p(device, series, before, place)
      CROSS JOIN LATERAL (SELECT * FROM telemetry_chunk c WHERE c.device = p.device AND c.series = p.series
        AND c.start < p.before ORDER BY c.start DESC LIMIT 2) AS c
      ORDER BY p.place, c.start DESC;
  END IF;
END $$;

-- Values (0) or parts (1) of chunks, and the times (2) of segments. The first arrays name chunks, the last two segments.
CREATE FUNCTION telemetry_pieces(devices bigint[], wanted bigint[], starts bigint[], kinds bigint[],
  segment_devices bigint[], segment_starts bigint[])
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
    FROM unnest(devices, wanted, starts, kinds) AS k(device, series, start, kind)
    JOIN telemetry_chunk c ON c.device = k.device AND c.series = k.series AND c.start = k.start;
  RETURN QUERY SELECT 2::bigint, g.device, g.start, g.span, g.row_count, g.checksum, g.times, NULL::bytea
    FROM unnest(segment_devices, segment_starts) AS k(device, start)
    JOIN telemetry_segment g ON g.device = k.device AND g.start = k.start;
END $$;

-- What partitions of the journal have that a moment does not include: a row (0) for each partition, and rows with points
-- (1) or marks (2). `runnings` are the transactions that ran at that moment.
CREATE FUNCTION telemetry_news(partitions smallint[], firsts bigint[], ends bigint[], runnings text[])
RETURNS TABLE (kind bigint, partition bigint, first bigint, second bigint, checksum bigint, bytes bytea)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT 0::bigint, p.partition::bigint, p.epoch, b.base, 0::bigint,
      convert_to(pg_current_snapshot()::text, 'UTF8')
    FROM telemetry_partition p, telemetry_base b WHERE p.partition = ANY (partitions);
  RETURN QUERY SELECT CASE j.is_mark WHEN 1 THEN 2::bigint ELSE 1::bigint END, j.partition::bigint,
      j.commit, j.sequence, j.checksum, j.batch
    FROM unnest(partitions, firsts, ends, runnings) AS known(partition, first, finish, running)
    JOIN telemetry_journal j ON j.partition = known.partition AND j.commit >= known.first
      AND (j.commit >= known.finish OR j.commit = ANY (known.running::bigint[]))
    WHERE j.is_damaged = 0;
END $$;
