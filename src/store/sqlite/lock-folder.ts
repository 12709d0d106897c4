// One process per data folder. The lock is an operating system lock on a file, so a killed process leaves none behind.
import { existsSync, renameSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { makePrivate } from "./make-private.ts";

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;

/** Gives the function that releases the folder. */
export function lockFolder(file: string): () => void {
  try {
    return lock(file);
  } catch (error) {
    if (codeOf(error) !== SQLITE_NOTADB) throw error;
  }
  // The file holds nothing but the lock, and `refuseUsed` does not depend on it.
  renameSync(file, `${file}.unreadable`);
  return lock(file);
}

function lock(file: string): () => void {
  makePrivate(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (codeOf(error) === SQLITE_BUSY) {
      throw new Error(`another Busbar already uses this data folder (${file} is locked)`);
    }
    throw error;
  }
  return () => database.close();
}

/** Long enough for a backup program to finish. */
const PATIENCE_MS = 1_000;

/**
 * Refuses records that another process has open, even if the lock file was deleted: every process that has the records
 * open holds a lock on them, and this exclusive lock conflicts with it. The lock is released at once, because threads
 * of this process need theirs.
 */
export function refuseUsed(file: string): void {
  if (!existsSync(file)) return;
  const probe = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    probe.exec("PRAGMA locking_mode = EXCLUSIVE");
    probe.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    if (codeOf(error) === SQLITE_BUSY) {
      throw new Error(`another Busbar or another program uses this data folder (${file} is open elsewhere)`);
    }
    // Other trouble with the file is reported when the file is opened for use.
  } finally {
    probe.close();
  }
}

function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
}
