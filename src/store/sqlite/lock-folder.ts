// One process per data folder. The lock is a lock of the operating system on a file, so that a killed process leaves none.
import { DatabaseSync } from "node:sqlite";

/** Gives the function that releases the folder. */
export function lockFolder(file: string): () => void {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (error instanceof Error && "errcode" in error && error.errcode === 5) {
      throw new Error(`another Busbar already uses this data folder (${file} is locked)`);
    }
    throw error;
  }
  return () => lock.close();
}
