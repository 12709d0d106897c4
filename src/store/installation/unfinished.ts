// What a restore or a move that was cut off leaves in a data folder. Such a folder is never served.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readMark } from "./installation-mark.ts";
import { tracesIn } from "./traces.ts";

/** The folder of a restore, in the data folder, from its first step to its last. */
export const RESTORE_FOLDER = "restoring";
/** In it: the names that the restore puts in place. None of them was there before. */
export const PLACING_FILE = "placing.json";
/** Ends the names of the databases of a move until it is complete. */
export const MOVING = ".moving";

export function isRestoreUnfinished(data: string): boolean {
  const work = join(data, RESTORE_FOLDER);
  if (!existsSync(work) || readMark(data)?.isComplete === true) return false;
  // A restore begins only in a folder without an installation: one that is here is not of this restore.
  return existsSync(join(work, PLACING_FILE)) || !tracesIn(data).some((name) => OF_AN_INSTALLATION.includes(name));
}

const OF_AN_INSTALLATION = ["records.db", "telemetry.db", "seal.key"];

export function isMoveUnfinished(data: string): boolean {
  if (!existsSync(data) || readMark(data)?.isComplete === true) return false;
  return readdirSync(data).some((name) => name.endsWith(MOVING));
}

/** Throws with what to run. */
export function refuseUnfinished(data: string): void {
  if (isRestoreUnfinished(data)) {
    throw new Error(
      `a restore into ${data} was cut off, so it is not complete.\n` +
        `Run it again: busbar restore FILE --data ${data}. It starts over. To begin anew instead, empty the folder`,
    );
  }
  if (isMoveUnfinished(data)) {
    throw new Error(
      `a move into ${data} was cut off, so it is not complete.\n` +
        `Run it again: busbar migrate --from postgres://... --to ${data}. It goes on where it was`,
    );
  }
}

/** A restore that was cut off after its last step leaves its folder. */
export function removeRestOfRestore(data: string): void {
  if (!isRestoreUnfinished(data)) rmSync(join(data, RESTORE_FOLDER), { recursive: true, force: true });
}
