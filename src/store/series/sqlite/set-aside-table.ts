import type { Connection } from "#store/sqlite/connection.ts";

/** The damaged table stays in the file under another name, and a new one replaces it. */
export function setAsideTable(database: Connection, table: "journal" | "latest"): void {
  const taken = database.all("SELECT name FROM sqlite_schema WHERE name LIKE ?", `${table}_damaged_%`).length;
  const { sql } = database.one("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", table);
  database.script(
    `BEGIN IMMEDIATE; ALTER TABLE ${table} RENAME TO ${table}_damaged_${taken + 1}; ${String(sql)}; COMMIT`,
  );
}
