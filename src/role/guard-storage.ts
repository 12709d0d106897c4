// Checks the disk and the database files while the service runs, and reports what it finds.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Troubles } from "#service/troubles.ts";
import { createDiskReserve, type DiskReserve } from "#store/disk-reserve.ts";
import { createStorageGate, type GateState, type StorageGate } from "#store/storage-gate.ts";

const PART = "storage";
const MESSAGES: Readonly<Record<Exclude<GateState, "well">, string>> = {
  full: "the disk is full: commands, deletions and revocations go on from a reserve, everything else is refused",
  moved:
    "a database file was deleted or replaced: nothing is stored until it is back in its place or Busbar is restarted",
};
/** The files of the embedded stores. */
export const DATABASE_FILES: readonly string[] = ["records.db", "telemetry.db"].flatMap((name) => [
  name,
  `${name}-wal`,
]);

export interface StorageGuard {
  readonly gate: StorageGate;
  readonly reserve: DiskReserve;
  look(): Promise<void>;
}

/** `files` are watched: nothing is stored while one of them is missing or replaced. */
export function guardStorage(folder: string, troubles: Troubles, files: readonly string[]): StorageGuard {
  const reserve = createDiskReserve(join(folder, "reserve"), folder);
  const lock = join(folder, "lock.db");
  let lockInode: number | undefined;
  const gate = createStorageGate({
    reserve,
    files: files.map((name) => join(folder, name)),
    onState: (state) => {
      troubles.clear(PART);
      if (state !== "well") troubles.report({ part: PART, message: MESSAGES[state] });
    },
  });
  return {
    gate,
    reserve,
    async look() {
      const inode = statSync(lock, { throwIfNoEntry: false })?.ino;
      lockInode ??= inode;
      if (inode !== lockInode) {
        troubles.report({
          part: "lock",
          message: "lock.db was deleted or replaced; the records themselves keep others out",
        });
      }
      await gate.look();
    },
  };
}
