// What a transaction stores on several servers is prepared on each of them, committed on the coordinator, and then committed on
// each of them. So for a moment, or until a server that was gone is back, the coordinator shows more than the other servers do.
import type { ClientBase } from "pg";
import { refuse } from "#core/app-error.ts";

const PREPARED = `SELECT success, result FROM run_command_on_workers($$
  SELECT coalesce(json_agg(gid), '[]') FROM pg_prepared_xacts WHERE database = current_database() AND gid LIKE 'citus%' $$)`;

const FIRST_MS = 1;
const LONGEST_MS = 100;
/** From then on Citus is asked to finish what is prepared. By itself it does so each minute. */
const PATIENCE_MS = 300;
const DEADLINE_MS = 8_000;

type Client = Pick<ClientBase, "query">;

/** Waits until every server shows what the coordinator shows now. Throws a refusal when that takes too long. */
export async function settleServers(client: Client): Promise<void> {
  const began = performance.now();
  let left = await preparedOn(client);
  for (let pause = FIRST_MS; left.size > 0; pause = Math.min(2 * pause, LONGEST_MS)) {
    const waited = performance.now() - began;
    if (waited > DEADLINE_MS) throw refuse("storage_unavailable", "a server of the database has not finished commits");
    if (waited > PATIENCE_MS) await client.query("SELECT recover_prepared_transactions()");
    await new Promise((resolve) => setTimeout(resolve, pause));
    const now = await preparedOn(client);
    left = new Set([...left].filter((one) => now.has(one)));
  }
}

async function preparedOn(client: Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ success: boolean; result: string }>(PREPARED);
  if (rows.some(({ success }) => !success)) {
    throw refuse("storage_unavailable", "a server of the database does not answer; try again in a moment");
  }
  return new Set(rows.flatMap(({ result }) => JSON.parse(result) as readonly string[]));
}
