import { join } from "node:path";
import { expect, test } from "vitest";
import { startScript } from "../../../test/support/script.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { Connection } from "./connection.ts";
import { migrate, readMigrations } from "./migrate.ts";

const MIGRATE = `
  const { Connection } = await import("#store/sqlite/connection.ts");
  const { migrate } = await import("#store/sqlite/migrate.ts");
  migrate(new Connection(process.argv[1], "write"));
`;

/** Of migrations that have been released for long, the long tests kill every step. A file without any gets all in one step. */
const KEPT = process.env["BUSBAR_LONG"] === "1" ? 1 : readMigrations().length - 3;
const STEPS = ["migration.before", "migration.inside", "migration.before-commit", "migration.after-commit"];

test("a kill at any step of the migrations leaves records that the next start completes", {
  timeout: 180_000,
}, async () => {
  const sound = inspect(await migrated(undefined));
  const kills: string[] = [];
  for (const step of STEPS) {
    for (let pass = 1; ; pass++) {
      const failpoint = `${step}:${pass}`;
      const file = await migrated(failpoint);
      if (file === undefined) break;
      kills.push(failpoint);
      expect({ failpoint, ...inspect(file) }).toEqual({ failpoint, ...sound });
    }
  }
  const migrations = readMigrations().slice(KEPT);
  const statements = migrations.flatMap(({ sql }) => sql.match(/;[ \t]*(?:--.*)?$/gm) ?? []);
  expect(kills).toHaveLength(3 * migrations.length + statements.length);
});

test("a kill while an empty file gets all migrations leaves it empty", async () => {
  const file = join(tempFolder(), "records.db");
  expect(await startScript(MIGRATE, { args: [file], failpoint: "migration.before-commit:1" }).end).toBe("SIGKILL");
  const database = new Connection(file, "write");
  expect(schemaOf(database)).toEqual([]);
  database.close();
  inspect(file);
});

/**
 * The database after a process was killed at the failpoint; undefined when it ended without passing it so often. It had some
 * migrations before, so that each of the others is a step of its own.
 */
async function migrated(failpoint: string | undefined): Promise<string | undefined> {
  const file = databaseAfter(KEPT);
  const end = await startScript(MIGRATE, { args: [file], ...(failpoint !== undefined && { failpoint }) }).end;
  if (failpoint === undefined || end === "SIGKILL") return file;
  expect(end).toBe(0);
  return undefined;
}

/** What the next start makes of the file, after checking that no migration was left half done. */
function inspect(file: string | undefined): Readonly<Record<string, unknown>> {
  const database = new Connection(file ?? "", "write");
  const hasMarks = database.get("SELECT 1 FROM sqlite_schema WHERE name = 'migration'") !== undefined;
  const done = hasMarks ? database.all("SELECT number FROM migration").length : 0;
  expect(schemaOf(database)).toEqual(schemaAfter(done));
  migrate(database);
  const result = {
    schema: schemaOf(database),
    marks: database.all("SELECT * FROM migration"),
    integrity: database.all("PRAGMA integrity_check"),
  };
  database.close();
  expect(result.integrity).toEqual([{ integrity_check: "ok" }]);
  return result;
}

function databaseAfter(migrations: number): string {
  const file = join(tempFolder(), "records.db");
  if (migrations === 0) return file;
  const database = new Connection(file, "write");
  migrate(database, readMigrations().slice(0, migrations));
  database.close();
  return file;
}

function schemaAfter(migrations: number): readonly unknown[] {
  const database = new Connection(databaseAfter(migrations), "write");
  const schema = schemaOf(database);
  database.close();
  return schema;
}

function schemaOf(database: Connection): readonly unknown[] {
  return database.all("SELECT type, name, sql FROM sqlite_schema WHERE name <> 'migration' ORDER BY name");
}
