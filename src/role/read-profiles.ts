import type { Profile } from "#core/blueprint/profile.ts";
import type { Surroundings } from "./open-stores.ts";

/** The operator's profiles. One that cannot be read costs itself, never the start. */
export async function readProfiles(folder: string | undefined, log: Surroundings["log"]): Promise<readonly Profile[]> {
  if (folder === undefined) return [];
  // With it comes the YAML library, which a start without such a folder does not need.
  const { readProfileFolder } = await import("#runtime/inspect/read-profile-folder.ts");
  const { profiles, problems } = await readProfileFolder(folder);
  for (const { severity, message } of problems) {
    log.warn({ folder }, `${severity === "error" ? "a profile is left out" : "a profile is odd"}: ${message}`);
  }
  log.info({ folder, profiles: profiles.length }, "profiles are read");
  return profiles;
}
