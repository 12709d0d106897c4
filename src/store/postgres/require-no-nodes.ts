import type { ClientBase } from "pg";

export async function requireNoNodes(client: ClientBase, advice: string): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*) AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'busbar' AND pid <> pg_backend_pid()`,
  );
  if ((rows[0]?.count ?? 0) > 0) throw new Error(`a node of Busbar runs on the database; ${advice}`);
}
