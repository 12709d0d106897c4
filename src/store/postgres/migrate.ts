// Brings the database to the newest schema. Nodes that start at the same moment wait for each other. Each migration and
// its mark are one transaction.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { ClientBase } from "pg";
import { failpoint } from "#store/failpoint.ts";
import { CHANGES_PER_TRANSACTION } from "./commit-batch.ts";

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly digest: string;
}

/** Any number that no other program uses for the same purpose. */
const MIGRATION_LOCK = 7_238_411_905;

export async function migrate(client: ClientBase, migrations = readMigrations()): Promise<void> {
  await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
  try {
    await client.query(
      "CREATE TABLE IF NOT EXISTS migration (number bigint PRIMARY KEY, name text NOT NULL, digest text NOT NULL)",
    );
    const { rows } = await client.query<{ number: number; name: string; digest: string }>(
      "SELECT number, name, digest FROM migration ORDER BY number",
    );
    refuseUnknown(rows, migrations);
    for (const migration of migrations.slice(rows.length)) await apply(client, migration);
    await raiseChangeBase(client);
  } finally {
    await client.query("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
  }
}

function refuseUnknown(
  done: readonly { readonly number: number; readonly name: string; readonly digest: string }[],
  migrations: readonly Migration[],
): void {
  const newest = migrations.at(-1)?.number ?? 0;
  for (const row of done) {
    const known = migrations.find(({ number }) => number === row.number);
    if (known === undefined) {
      throw new Error(
        `the database was last used by a newer Busbar (migration ${row.number} ${row.name}; this one knows up to ` +
          `${newest}). Use that version, or restore a backup from before the upgrade`,
      );
    }
    if (known.digest !== row.digest) {
      throw new Error(`migration ${known.name} differs from the one that made this database`);
    }
  }
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
async function raiseChangeBase(client: ClientBase): Promise<void> {
  await client.query(
    `UPDATE change_base SET base = latest.number + 1 - latest.current
     FROM (SELECT coalesce(max(number), 0) AS number, pg_current_xact_id()::text::bigint * ${CHANGES_PER_TRANSACTION} AS current
           FROM (SELECT max(changed) AS number FROM execution UNION ALL SELECT deleted FROM execution_change) AS numbers
          ) AS latest
     WHERE latest.number >= base + latest.current`,
  );
}

function readMigrations(): readonly Migration[] {
  const folder = new URL("./migrations/", import.meta.url);
  const files = readdirSync(folder).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file));
  return files.sort().map((file, index) => {
    const number = Number(file.slice(0, 4));
    if (number !== index + 1) throw new Error(`migration ${file} breaks the numbering`);
    const sql = readFileSync(new URL(file, folder), "utf8");
    return { number, name: file, sql, digest: createHash("sha256").update(sql).digest("hex") };
  });
}
