// A database that a move writes to has a mark until it is complete, so that no node starts on half of an installation.
import type { Client } from "pg";

/** Throws if the database holds an installation, or an unfinished move from elsewhere. */
export async function beginMove(client: Client, source: string): Promise<void> {
  const { rows } = await client.query<{ mark: string | null }>("SELECT to_regclass('unfinished_move')::text AS mark");
  if (rows[0]?.mark === null) {
    const used = await client.query(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM site) OR EXISTS (SELECT 1 FROM token) OR EXISTS (SELECT 1 FROM telemetry_device)`,
    );
    if (used.rows.length > 0) throw new Error("the database already holds an installation; name an empty one");
    // In one transaction: a mark without its source would refuse the move that goes on.
    await client.query("BEGIN");
    await client.query("CREATE TABLE unfinished_move (source text NOT NULL)");
    await client.query("INSERT INTO unfinished_move VALUES ($1)", [source]);
    await client.query("COMMIT");
    return;
  }
  const begun = await client.query<{ source: string }>("SELECT source FROM unfinished_move");
  const from = begun.rows[0]?.source;
  if (from !== source) throw new Error(`the database holds an unfinished move from ${from}; use an empty database`);
}

export async function endMove(client: Client): Promise<void> {
  await client.query("DROP TABLE IF EXISTS unfinished_move");
}
