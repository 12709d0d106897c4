/** A change number is the id of its transaction, and its place among at most so many changes of the transaction. */
export const CHANGES_PER_TRANSACTION = 4_096;

/** Every older transaction has ended, so all of its changes are visible or undone. */
export const SETTLED = `SELECT base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint * ${CHANGES_PER_TRANSACTION} - 1
  AS settled FROM change_base`;
