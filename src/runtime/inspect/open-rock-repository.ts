import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_LIMITS } from "#core/blueprint/package-limits.ts";
import type { RockRepository } from "#service/rock/rock-repository.ts";

/** The folder as it is now; one that is not there is empty. */
export function openRockRepository(path: string, folder: string): RockRepository {
  const names = read(() => readdirSync(path)) ?? [];
  return {
    folder,
    files: names.sort(),
    read: (name) => {
      // Only listed names: a name never leads out of the folder.
      if (!names.includes(name)) return undefined;
      const file = join(path, name);
      return read(() => (statSync(file).size > PACKAGE_LIMITS.archiveBytes ? undefined : readFileSync(file)));
    },
  };
}

/** A file that cannot be read counts as missing; the caller reports that in its own words. */
function read<Value>(from: () => Value): Value | undefined {
  try {
    return from();
  } catch {
    return undefined;
  }
}
