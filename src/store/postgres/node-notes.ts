// Notes for other nodes of what a write has changed, although no event reports them. They are stored in its transaction.
export const ADD_NOTE = "INSERT INTO node_note (message) VALUES (?)";

/** The notes of transactions that a former snapshot did not see, and the snapshot that sees them. */
export const NEW_NOTES = `SELECT pg_current_snapshot()::text AS snapshot, ARRAY(
    SELECT message FROM node_note WHERE transaction >= pg_snapshot_xmin($1::pg_snapshot)
    AND NOT pg_visible_in_snapshot(transaction, $1::pg_snapshot) ORDER BY number
  ) AS messages`;

export const PRUNE_NOTES = "DELETE FROM node_note WHERE stored_at < now() - interval '10 minutes'";
