// Brings a database to the newest schema. Each migration and its mark are one transaction: a kill at any moment leaves
// the schema before it or after it, never in between. An empty database gets all of them in one, which is one flush
// instead of one each.
import { failpoint } from "#store/failpoint.ts";
import { type Migration, readMigrations as read, refuseUnknown } from "#store/migrations.ts";
import type { Connection } from "./connection.ts";

export function migrate(database: Connection, migrations = readMigrations()): void {
  database.script(
    "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL) STRICT",
  );
  const done = database.all("SELECT number, name, digest FROM migration ORDER BY number");
  refuseUnknown(done, migrations);
  const missing = migrations.slice(done.length);
  const steps = done.length === 0 ? [missing] : missing.map((migration) => [migration]);
  for (const together of steps) apply(database, together);
}

function apply(database: Connection, together: readonly Migration[]): void {
  failpoint("migration.before");
  database.script("BEGIN IMMEDIATE");
  try {
    for (const { number, name, sql, digest } of together) {
      for (const statement of statementsOf(sql)) {
        database.script(statement);
        failpoint("migration.inside");
      }
      database.run("INSERT INTO migration (number, name, digest) VALUES (?, ?, ?)", number, name, digest);
    }
    failpoint("migration.before-commit");
    database.script("COMMIT");
  } catch (error) {
    if (database.inTransaction) database.script("ROLLBACK");
    throw error;
  }
  failpoint("migration.after-commit");
}

export function readMigrations(): readonly Migration[] {
  return read(new URL("./migrations/", import.meta.url));
}

/** A statement ends with `;` at the end of a line, and nowhere else: migrations hold no triggers and no such text. */
function statementsOf(sql: string): readonly string[] {
  return sql
    .split(/;[ \t]*(?:--[^\n]*)?\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/--[^\n]*/g, "").trim() !== "");
}
