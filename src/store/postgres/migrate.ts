// Brings the database to the newest schema. Nodes that start at the same moment wait for each other. Each migration and
// its mark are one transaction.
import type { ClientBase } from "pg";
import { failpoint } from "#store/failpoint.ts";
import { type Migration, readMigrations, refuseUnknown } from "#store/migrations.ts";
import { CHANGES_PER_TRANSACTION } from "./change-numbers.ts";
import { isSpread, spreadProblem, spreadTables } from "./spread.ts";

/** Any number that no other program uses for the same purpose. */
const MIGRATION_LOCK = 7_238_411_905;

export async function migrate(client: ClientBase, migrations = read()): Promise<void> {
  await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
  try {
    await client.query(
      "CREATE TABLE IF NOT EXISTS migration (number bigint PRIMARY KEY, name text NOT NULL, digest text NOT NULL)",
    );
    const done = await requireKnown(client, migrations);
    for (const migration of migrations.slice(done)) await apply(client, migration);
    await spreadIfDue(client, done === 0);
    await raiseBases(client);
  } finally {
    await client.query("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
  }
}

/** Throws if something was applied that this version does not know. Returns how many migrations were. */
export async function requireKnown(client: ClientBase, migrations = read()): Promise<number> {
  const { rows } = await client.query<{ number: number; name: string; digest: string }>(
    "SELECT number, name, digest FROM migration ORDER BY number",
  );
  refuseUnknown(rows, migrations);
  return rows.length;
}

/** New tables of a database that is spread already, and all tables of a new database where Citus has workers. */
async function spreadIfDue(client: ClientBase, isNew: boolean): Promise<void> {
  const isDue = isNew ? (await spreadProblem(client)) === undefined : await isSpread(client);
  if (isDue) await spreadTables(client);
}

function read(): readonly Migration[] {
  return readMigrations(new URL("./migrations/", import.meta.url));
}

async function apply(client: ClientBase, { number, name, sql, digest }: Migration): Promise<void> {
  failpoint("migration.before");
  await client.query("BEGIN");
  try {
    await client.query(sql);
    failpoint("migration.inside");
    await client.query("INSERT INTO migration (number, name, digest) VALUES ($1, $2, $3)", [number, name, digest]);
    failpoint("migration.before-commit");
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
  failpoint("migration.after-commit");
}

/** In a server with younger transaction ids than the records' own, the next numbers would come before the stored ones. */
async function raiseBases(client: ClientBase): Promise<void> {
  await client.query(
    `UPDATE change_base SET base = latest.number + 1 - latest.current
     FROM (SELECT coalesce(max(number), 0) AS number, pg_current_xact_id()::text::bigint * ${CHANGES_PER_TRANSACTION} AS current
           FROM (SELECT max(changed) AS number FROM execution UNION ALL SELECT deleted FROM execution_change
                 UNION ALL SELECT max(position) FROM event) AS numbers
          ) AS latest
     WHERE latest.number >= base + latest.current`,
  );
  await client.query(
    `UPDATE telemetry_base SET base = latest.commit + 1 - latest.current
     FROM (SELECT coalesce(max(commit), 0) AS commit, pg_current_xact_id()::text::bigint AS current FROM telemetry_journal)
       AS latest
     WHERE latest.commit >= base + latest.current`,
  );
}
