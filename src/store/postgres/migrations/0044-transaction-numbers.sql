-- needs nodes that know 0043
-- What numbered commits to the journal of telemetry by their transactions.
DROP FUNCTION telemetry_commit();
DROP TABLE telemetry_base;
