// Spreads the tables over the servers of Citus. Everything is one transaction: a kill leaves all tables where they were.
import type { ClientBase } from "pg";
import { EVERYWHERE, SPREAD, SPREAD_TELEMETRY, TELEMETRY_PARTS } from "./spread-tables.ts";

/** Whether the tables are spread over several servers. */
export async function isSpread(client: ClientBase): Promise<boolean> {
  if (!(await hasCitus(client))) return false;
  const { rowCount } = await client.query("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'execution'::regclass");
  return rowCount === 1;
}

async function hasCitus(client: ClientBase): Promise<boolean> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  return rowCount === 1;
}

/** Returns what keeps the tables from being spread, if anything does. */
export async function spreadProblem(client: ClientBase): Promise<string | undefined> {
  if (!(await hasCitus(client))) return "the database has no extension citus";
  const { rows } = await client.query<{ coordinators: number; workers: number }>(
    `SELECT count(*) FILTER (WHERE groupid = 0) AS coordinators,
       count(*) FILTER (WHERE groupid <> 0 AND isactive AND shouldhaveshards) AS workers FROM pg_dist_node`,
  );
  const { coordinators = 0, workers = 0 } = rows[0] ?? {};
  if (coordinators === 0) return "Citus does not know its coordinator: SELECT citus_set_coordinator_host('<host>')";
  if (workers === 0) return "Citus has no worker: SELECT citus_add_node('<host>', <port>)";
  return undefined;
}

interface Reference {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Those tables that are not where they belong yet. `onTable` is called before each of them. */
export async function spreadTables(client: ClientBase, onTable: (table: string) => void = () => {}): Promise<void> {
  const waiting = await tablesToMove(client);
  const functions = await functionsToPlanAnew(client);
  if (waiting.length === 0 && functions.length === 0) return;
  await client.query("BEGIN");
  try {
    // References lead across tables that are moved one after the other.
    await client.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    await client.query("SET LOCAL client_min_messages = error");
    const references = await referencesAmong(client);
    for (const { table, name } of references) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`);
    for (const table of waiting) {
      onTable(table);
      await client.query(placement(table));
    }
    for (const { table, name, definition } of references)
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT "${name}" ${definition}`);
    for (const one of functions) await client.query(`ALTER FUNCTION ${one} SET plan_cache_mode = force_custom_plan`);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

/** Functions keep their plans on one server. Citus has to see which partition a call is about, to know its server. */
async function functionsToPlanAnew(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regprocedure::text AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     AND proname LIKE 'telemetry\\_%' AND 'plan_cache_mode=force_generic_plan' = ANY (proconfig)`,
  );
  return rows.map(({ name }) => name);
}

/** In the order in which they are moved. */
async function tablesToMove(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
       AND (c.relname NOT LIKE 'telemetry\\_%' OR c.relname = ANY ($1::text[]))
       AND c.relname <> 'migration' AND p.logicalrelid IS NULL ORDER BY c.relname`,
    [SPREAD_TELEMETRY],
  );
  const all = rows.map(({ name }) => name);
  const rank = (table: string) => (EVERYWHERE.includes(table) ? 0 : table in SPREAD ? 1 : 2);
  const telemetry = SPREAD_TELEMETRY.filter((table) => all.includes(table));
  return [...all.filter((table) => !telemetry.includes(table)).toSorted((a, b) => rank(a) - rank(b)), ...telemetry];
}

const FIRST = Object.keys(SPREAD)[0] ?? "";

function placement(table: string): string {
  if (EVERYWHERE.includes(table)) return `SELECT create_reference_table('${table}')`;
  const [first] = SPREAD_TELEMETRY;
  if (table === first) {
    const parts = `colocate_with => 'none', shard_count => ${TELEMETRY_PARTS}`;
    return `SELECT create_distributed_table('${table}', 'partition', ${parts})`;
  }
  if (SPREAD_TELEMETRY.includes(table))
    return `SELECT create_distributed_table('${table}', 'partition', colocate_with => '${first}')`;
  const column = SPREAD[table];
  // Citus commits what is on two servers in two phases only if it knows both tables.
  if (column === undefined) return `SELECT citus_add_local_table_to_metadata('${table}')`;
  const beside = table === FIRST ? "none" : FIRST;
  return `SELECT create_distributed_table('${table}', '${column}', colocate_with => '${beside}')`;
}

async function referencesAmong(client: ClientBase): Promise<readonly Reference[]> {
  const { rows } = await client.query<Reference>(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0 ORDER BY conrelid::regclass::text`,
  );
  return rows;
}
