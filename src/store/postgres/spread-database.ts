import type pg from "pg";
import { clientConfig } from "./connect.ts";
import { DatabaseClient } from "./database-client.ts";
import { requireKnown } from "./migrate.ts";
import { requireNoNodes } from "./require-no-nodes.ts";
import { isSpread, spreadProblem, spreadTables } from "./spread.ts";

/**
 * Spreads an installation whose tables are all on the coordinator. No node may run: one that did would wait for locks until
 * its calls fail. False when it was spread already.
 */
export async function spreadDatabase(url: string, onTable: (table: string) => void): Promise<boolean> {
  // Large tables take long.
  const client = new DatabaseClient({
    ...clientConfig(url),
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    await requireTables(client);
    if (await isSpread(client)) return false;
    const problem = await spreadProblem(client);
    if (problem !== undefined) throw new Error(`the tables cannot be spread: ${problem}`);
    await requireNoNodes(client, "stop all nodes, and run this again");
    await spreadTables(client, onTable);
    return true;
  } finally {
    await client.end();
  }
}

async function requireTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ found: string | null }>("SELECT to_regclass('migration')::text AS found");
  if (rows[0]?.found == null)
    throw new Error("the database has no tables of Busbar; a new one is spread at the first start");
  await requireKnown(client);
}
