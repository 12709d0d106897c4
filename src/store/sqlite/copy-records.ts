// The records in a backup, and out of one.

import { fromDevelopment, isFromDevelopment } from "#store/from-development.ts";
import { refuseUnknown } from "#store/migrations.ts";
import { Connection } from "./connection.ts";
import { readMigrations } from "./migrate.ts";

/** The newest migration that was applied. The file may be in use. Throws if no version could restore it. */
export function readRecordsSchema(file: string): number {
  const records = new Connection(file, "read", 1);
  try {
    const applied = records.all("SELECT number, name FROM migration ORDER BY number");
    if (isFromDevelopment(applied)) throw fromDevelopment("this installation");
    return Number(applied.at(-1)?.["number"]);
  } finally {
    records.close();
  }
}

/** A copy of the state at one moment, while others write. Includes everything that was committed before the call. */
export function copyRecords(from: string, to: string): void {
  const records = new Connection(from, "read", 4);
  try {
    records.run("VACUUM INTO ?", to);
  } finally {
    records.close();
  }
}

/** Checks restored records and makes them fit to be used again. */
export function finishRestoredRecords(file: string): void {
  const records = new Connection(file, "write", 4);
  try {
    requireSound(records, "the records");
    refuseUnknown(records.all("SELECT number, name, digest FROM migration ORDER BY number"), readMigrations());
    makeFit(records);
  } finally {
    records.close();
  }
}

/**
 * Nothing that was under way is sent again: after the backup it may have been sent. The epoch is made anew at the next
 * start, so that the other side of a link starts over.
 */
export function makeFit(records: Connection): void {
  records.script("BEGIN IMMEDIATE");
  records.run("UPDATE execution SET attempted = 1 WHERE is_open = 1 AND attempted = 0");
  records.run("DELETE FROM epoch");
  records.script("COMMIT");
}

export function requireSound(database: Connection, what: string): void {
  const [found] = database.lists("PRAGMA quick_check(1)");
  if (found?.[0] !== "ok") throw new Error(`${what} in the backup are damaged: ${String(found?.[0])}`);
}
