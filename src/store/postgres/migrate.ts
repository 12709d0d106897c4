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
    await client.query("ALTER TABLE migration ADD COLUMN IF NOT EXISTS needs bigint");
    const done = await requireUsable(client, migrations);
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

/**
 * As `requireKnown`, but a newer node may have added to the schema: nodes of the version before start again while they are
 * replaced one by one. A database whose steps do not say whether they only added is refused.
 */
async function requireUsable(client: ClientBase, migrations: readonly Migration[]): Promise<number> {
  const newest = newestOf(migrations);
  const { rows } = await client.query<{ number: number; name: string; digest: string; needs: number | null }>(
    "SELECT number, name, digest, needs FROM migration ORDER BY number",
  );
  const isUsable = ({ number, needs }: (typeof rows)[number]) => number > newest && needs !== null && needs <= newest;
  refuseUnknown(
    rows.filter((row) => !isUsable(row)),
    migrations,
  );
  return rows.length;
}

function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.number ?? 0;
}

/** The newest migration that this version knows. */
export const newestKnown = (): number => newestOf(read());

/** Throws if the schema was contracted since this node started, by nodes that did not see it. */
export async function requireNotTooOld(client: ClientBase, newest: number): Promise<void> {
  const { rows } = await client.query<{ needs: number }>("SELECT coalesce(max(needs), 0) AS needs FROM migration");
  const needs = rows[0]?.needs ?? 0;
  if (needs > newest) throw new Error(`${tooOld(newest, needs)}: upgrade this node`);
}

function tooOld(newest: number, needs: number): string {
  return `a node that knows migrations up to ${newest} is too old for the database, which needs nodes that know ${needs}`;
}

/** Nodes that run hold this lock shared, with the newest migration that they know. */
export const VERSION_CLASS = 723_842;

async function requireNoOlderNodes(client: ClientBase, { name, needs = 0 }: Migration): Promise<void> {
  if (needs === 0) return;
  const { rows } = await client.query<{ newest: number }>(
    `SELECT objid::bigint AS newest FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = $1::int::oid
     AND objid::bigint < $2 AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     ORDER BY 1`,
    [VERSION_CLASS, needs],
  );
  const [oldest] = rows;
  if (oldest === undefined) return;
  throw new Error(
    `migration ${name} takes away what nodes of an older version use, and ${rows.length} of them run on the database (the ` +
      `oldest knows migrations up to ${oldest.newest}, and ${needs} is needed). Upgrade or stop them first; nothing was changed`,
  );
}

/** New tables of a database that is spread already, and all tables of a new database where Citus has workers. */
async function spreadIfDue(client: ClientBase, isNew: boolean): Promise<void> {
  const isDue = isNew ? (await spreadProblem(client)) === undefined : await isSpread(client);
  if (isDue) await spreadTables(client);
}

function read(): readonly Migration[] {
  return readMigrations(new URL("./migrations/", import.meta.url));
}

async function apply(client: ClientBase, migration: Migration): Promise<void> {
  const { number, name, sql, digest, needs = 0 } = migration;
  await requireNoOlderNodes(client, migration);
  failpoint("migration.before");
  await client.query("BEGIN");
  try {
    await client.query(sql);
    failpoint("migration.inside");
    await client.query("INSERT INTO migration (number, name, digest, needs) VALUES ($1, $2, $3, $4)", [
      ...[number, name, digest, needs],
    ]);
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
}
