import pg from "pg";
import { clientConfig } from "./connect.ts";
import { requireKnown } from "./migrate.ts";

/**
 * Makes a database that was restored from a dump fit to be used again, as a restored data folder is. Nothing that was
 * under way is sent again: after the dump it may have been sent. The epoch is made anew at the next start, so that the
 * other side of a link starts over.
 */
export async function finishRestoredDatabase(url: string): Promise<void> {
  const client = new pg.Client(clientConfig(url));
  client.on("error", () => {});
  try {
    await client.connect();
    await requireKnown(client);
    await requireNoNodes(client);
    await client.query("BEGIN");
    await client.query("UPDATE execution SET attempted = 1 WHERE is_open = 1 AND attempted = 0");
    await client.query("DELETE FROM epoch");
    await client.query("COMMIT");
  } finally {
    await client.end().catch(() => {});
  }
}

async function requireNoNodes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*) AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'busbar' AND pid <> pg_backend_pid()`,
  );
  if ((rows[0]?.count ?? 0) > 0)
    throw new Error("a node of Busbar runs on the database; stop all nodes, and restore again");
}
