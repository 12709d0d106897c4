import type { Profile } from "./profile.ts";
import { renderProfile } from "./render-profile.ts";

/** Whether two profiles promise the same in the same words. */
export function isSameProfile(one: Profile, other: Profile): boolean {
  return JSON.stringify(renderProfile(one)) === JSON.stringify(renderProfile(other));
}
