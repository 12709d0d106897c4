import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import { isSameProfile } from "#core/blueprint/is-same-profile.ts";
import type { Profile } from "#core/blueprint/profile.ts";
import { requesterOf } from "#core/share/requester.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import type { InspectedProfiles } from "#service/blueprint/inspect-profiles.ts";
import type { ProfileCatalog } from "#service/blueprint/profile-catalog.ts";
import type { Call, Needs } from "#service/ports.ts";

export type UploadProfilesNeeds = Pick<Needs, "uploadedProfiles" | "profiles" | "inspectProfiles" | "now" | "newId">;

interface UploadedProfiles {
  readonly ids: readonly string[];
  /** Warnings only: errors refuse the upload. */
  readonly issues: InspectedProfiles["issues"];
}

/** Every start and every refresh on each node reads them all. */
const LIMITS = { profiles: 2_000, bytes: 8 * 1_048_576 };
/** Ids in the audit entry. */
const MAX_NAMED = 20;

/**
 * Stores all profiles of a zip, or none, and uses them at once. They count on every site, so a token for all sites is
 * needed. Published profiles never change: neither uploaded ones nor those of the folder.
 */
export async function uploadProfiles(
  needs: UploadProfilesNeeds,
  call: Call,
  content: Uint8Array,
): Promise<UploadedProfiles> {
  requireAllSites(call.caller);
  if (content.length === 0) throw refuse("invalid_body", "the body must be a zip of profiles, but is empty");
  const requester = requesterOf(call.caller, call.remoteAddress);
  const { profiles, issues } = await needs.inspectProfiles(content, requester);
  refuseErrors(issues);
  if (profiles.length === 0) {
    throw refuse("invalid_body", "the zip has no profile; a profile is a file such as energy/battery.yml");
  }
  refusePublished(needs.profiles, profiles);
  const ids = profiles.map(({ id }) => id);
  const details = { profiles: ids.slice(0, MAX_NAMED), count: ids.length };
  await needs.uploadedProfiles.put(profiles, LIMITS, auditTrail(needs, call, { target: {}, details }));
  await needs.profiles.refresh();
  return { ids, issues };
}

function refuseErrors(issues: InspectedProfiles["issues"]): void {
  const [first, ...others] = issues
    .filter(({ severity }) => severity === "error")
    .map(
      ({ code, message, file, path, range: { start } }): Refusal => ({
        code: "invalid_blueprint",
        message: file === "" ? message : `${file}: ${message}`,
        details: { issue: code, file, pointer: path, line: start.line, column: start.column },
      }),
    );
  if (first !== undefined) throw new AppError([first, ...others]);
}

function refusePublished(catalog: ProfileCatalog, profiles: readonly Profile[]): void {
  const [first, ...others] = profiles.flatMap((profile): Refusal[] => {
    const { id } = profile;
    const own = catalog.inFolder(id);
    if (own === undefined || own.isDraft || isSameProfile(own, profile)) return [];
    const message = `the profile ${id} is published in the folder of the setting blueprints.profiles and never changes`;
    return [{ code: "conflict", message, details: { profile: id } }];
  });
  if (first !== undefined) throw new AppError([first, ...others]);
}
