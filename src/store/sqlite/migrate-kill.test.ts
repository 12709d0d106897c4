// A database with data is upgraded by migrations after the initial one. They are of this test: a release may have none.
import { join } from "node:path";
import { expect, test } from "vitest";
import { startScript } from "../../../test/support/script.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { Connection } from "./connection.ts";
import { migrate, readMigrations } from "./migrate.ts";

const INITIAL = readMigrations();
const NEXT = [
  `ALTER TABLE site ADD COLUMN colour TEXT;
UPDATE site SET colour = 'red' WHERE name = 'North';
CREATE INDEX site_by_colour ON site (colour) WHERE colour IS NOT NULL;
`,
  `CREATE TABLE site_note (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE, -- one note each; and no more
  note TEXT NOT NULL,
  PRIMARY KEY (site_id)
) STRICT, WITHOUT ROWID;
INSERT INTO site_note (site_id, note) SELECT id, colour FROM site;
`,
].map((sql, index) => {
  const number = INITIAL.length + index + 1;
  return { number, name: `${String(number).padStart(4, "0")}-test.sql`, sql, digest: `digest ${number}` };
});
const ALL = [...INITIAL, ...NEXT];
const STATEMENTS = 5;

const MIGRATE = `
  const { Connection } = await import("#store/sqlite/connection.ts");
  const { migrate, readMigrations } = await import("#store/sqlite/migrate.ts");
  migrate(new Connection(process.argv[1], "write"), [...readMigrations(), ...JSON.parse(process.argv[2])]);
`;
const STEPS = ["migration.before", "migration.inside", "migration.before-commit", "migration.after-commit"];

test("a kill at any step of the migrations leaves records that the next start completes", async () => {
  const sound = inspect(await migrated(undefined));
  expect(sound.notes).toEqual([{ site_id: "s", note: "red" }]);
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
  expect(kills).toHaveLength(3 * NEXT.length + STATEMENTS);
});

test("a kill while an empty file gets all migrations leaves it empty", async () => {
  const file = join(tempFolder(), "records.db");
  const args = [file, JSON.stringify(NEXT)];
  expect(await startScript(MIGRATE, { args, failpoint: "migration.before-commit:1" }).end).toBe("SIGKILL");
  const database = new Connection(file, "write");
  expect(schemaOf(database)).toEqual([]);
  database.close();
  inspect(file);
});

/**
 * The database after a process was killed at the failpoint; undefined when it ended without passing it so often. It had the
 * initial schema and a site before.
 */
async function migrated(failpoint: string | undefined): Promise<string | undefined> {
  const file = databaseAfter(INITIAL.length);
  const args = [file, JSON.stringify(NEXT)];
  const end = await startScript(MIGRATE, { args, ...(failpoint !== undefined && { failpoint }) }).end;
  if (failpoint === undefined || end === "SIGKILL") return file;
  expect(end).toBe(0);
  return undefined;
}

/** What the next start makes of the file, after checking that no migration was left half done. */
function inspect(file: string | undefined) {
  const database = new Connection(file ?? "", "write");
  const hasMarks = database.get("SELECT 1 FROM sqlite_schema WHERE name = 'migration'") !== undefined;
  const done = hasMarks ? database.all("SELECT number FROM migration").length : 0;
  expect(schemaOf(database)).toEqual(schemaAfter(done));
  migrate(database, ALL);
  const result = {
    schema: schemaOf(database),
    marks: database.all("SELECT * FROM migration"),
    notes: database.all("SELECT * FROM site_note"),
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
  migrate(database, INITIAL);
  database.run("INSERT INTO site (id, name, timezone, created_at, updated_at) VALUES ('s', 'North', 'UTC', 1, 1)");
  migrate(database, ALL.slice(0, migrations));
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
