import { createProfileLibrary, type Profile, type ProfileLibrary } from "#core/blueprint/profile.ts";
import { STARTER_PROFILES, starterLibrary } from "./starter-profiles.ts";

/** Busbar's own profiles and these; of two with one id, these count. */
export function libraryWith(profiles: readonly Profile[]): ProfileLibrary {
  return profiles.length === 0 ? starterLibrary() : createProfileLibrary([...STARTER_PROFILES, ...profiles]);
}
