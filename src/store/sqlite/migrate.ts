// Brings a database to the newest schema. Each migration and its mark are one transaction: a kill at any moment leaves
// the schema before it or after it, never in between.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { failpoint } from "#store/failpoint.ts";
import type { Connection } from "./connection.ts";

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly digest: string;
}

export function migrate(database: Connection, migrations = readMigrations()): void {
  database.script(
    "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL) STRICT",
  );
  const done = database.all("SELECT number, name, digest FROM migration ORDER BY number");
  const newest = migrations.at(-1)?.number ?? 0;
  for (const row of done) {
    const known = migrations.find((migration) => migration.number === row["number"]);
    if (known === undefined) {
      throw new Error(
        `the records were last used by a newer Busbar (migration ${row["number"]} ${row["name"]}; this one knows up to ` +
          `${newest}). Use that version, or restore a backup from before the upgrade`,
      );
    }
    if (known.digest !== row["digest"]) {
      throw new Error(`migration ${known.name} differs from the one that made these records`);
    }
  }
  for (const migration of migrations.slice(done.length)) apply(database, migration);
}

function apply(database: Connection, { number, name, sql, digest }: Migration): void {
  failpoint("migration.before");
  database.script("BEGIN IMMEDIATE");
  try {
    for (const statement of statementsOf(sql)) {
      database.script(statement);
      failpoint("migration.inside");
    }
    database.run("INSERT INTO migration (number, name, digest) VALUES (?, ?, ?)", number, name, digest);
    failpoint("migration.before-commit");
    database.script("COMMIT");
  } catch (error) {
    if (database.inTransaction) database.script("ROLLBACK");
    throw error;
  }
  failpoint("migration.after-commit");
}

export function readMigrations(): readonly Migration[] {
  const folder = new URL("./migrations/", import.meta.url);
  const files = readdirSync(folder).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file));
  return files.sort().map((file, index) => {
    const number = Number(file.slice(0, 4));
    if (number !== index + 1) throw new Error(`migration ${file} breaks the numbering`);
    const sql = readFileSync(new URL(file, folder), "utf8");
    return { number, name: file, sql, digest: createHash("sha256").update(sql).digest("hex") };
  });
}

/** A statement ends with `;` at the end of a line, and nowhere else: migrations hold no triggers and no such text. */
function statementsOf(sql: string): readonly string[] {
  return sql
    .split(/;[ \t]*(?:--[^\n]*)?\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/--[^\n]*/g, "").trim() !== "");
}
