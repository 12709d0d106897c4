// Migrations are numbered SQL files. What was applied to a database is recorded in it, with the digest of its text.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fromDevelopment, isFromDevelopment } from "./from-development.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly digest: string;
  /**
   * A step that takes something away names the newest migration that a node has to know to do without it:
   * `-- needs nodes that know 0041`. A step that only adds has none.
   */
  readonly needs?: number;
}

/** `folder` ends with a slash. */
export function readMigrations(folder: URL): readonly Migration[] {
  const files = readdirSync(folder).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file));
  return files.sort().map((file, index) => {
    const number = Number(file.slice(0, 4));
    if (number !== index + 1) throw new Error(`migration ${file} breaks the numbering`);
    const sql = readFileSync(new URL(file, folder), "utf8");
    const [, needs] = /^-- needs nodes that know (\d{4})$/m.exec(sql) ?? [];
    const digest = createHash("sha256").update(sql).digest("hex");
    return { number, name: file, sql, digest, ...(needs !== undefined && { needs: Number(needs) }) };
  });
}

/** Refuses records to which a migration was applied that is unknown, or known with another text. */
export function refuseUnknown(
  applied: readonly Readonly<Record<string, unknown>>[],
  migrations: readonly Migration[],
): void {
  if (isFromDevelopment(applied)) throw fromDevelopment("this installation");
  const newest = migrations.at(-1)?.number ?? 0;
  for (const row of applied) {
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
}
