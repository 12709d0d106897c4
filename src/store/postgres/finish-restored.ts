import { clientConfig } from "./connect.ts";
import { DatabaseClient } from "./database-client.ts";
import { requireKnown } from "./migrate.ts";
import { requireNoNodes } from "./require-no-nodes.ts";

/**
 * Makes a database that was restored from a dump fit to be used again, as a restored data folder is. Nothing that was
 * under way is sent again: after the dump it may have been sent. The epoch is made anew at the next start, so that the
 * other side of a link starts over.
 */
export async function finishRestoredDatabase(url: string): Promise<void> {
  const client = new DatabaseClient(clientConfig(url));
  client.on("error", () => {});
  try {
    await client.connect();
    await requireKnown(client);
    await requireNoNodes(client, "stop all nodes, and restore again");
    await client.query("BEGIN");
    await client.query("UPDATE execution SET attempted = 1 WHERE is_open = 1 AND attempted = 0");
    await client.query("DELETE FROM epoch");
    await client.query("COMMIT");
  } finally {
    await client.end().catch(() => {});
  }
}
