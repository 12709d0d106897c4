import type { Issue } from "#core/blueprint/issue.ts";
import type { Profile } from "#core/blueprint/profile.ts";
import { profileIdOf } from "#core/blueprint/profile-schema.ts";
import { issuesAt } from "./issues-at.ts";
import { parseProfile } from "./parse-profile.ts";
import { createReporter } from "./reporter.ts";

/**
 * A profile can have the issues of a manifest, and two of its own: it includes itself, directly or through others, or it
 * includes a draft without being one.
 */
interface ProfileIssue extends Omit<Issue, "code"> {
  readonly code: Issue["code"] | "profile_cycle" | "profile_draft";
}

export interface ParsedProfiles {
  /** The profiles without errors, in the order of their files. */
  readonly profiles: readonly Profile[];
  /** By file; only files that have issues. */
  readonly issues: ReadonlyMap<string, readonly ProfileIssue[]>;
}

/**
 * Reads a folder of profiles, given as path and text. Profiles may include each other and those of `others`, usually the
 * starter library.
 */
export function parseProfiles(files: ReadonlyMap<string, string>, others: Iterable<Profile> = []): ParsedProfiles {
  const outside = new Map([...others].map((profile) => [profile.id, profile]));
  const ids = new Map([...files.keys()].map((path) => [path, profileIdOf(path)]));
  const known = new Set([...outside.keys(), ...[...ids.values()].filter((id) => id !== undefined)]);
  const issues = new Map<string, readonly ProfileIssue[]>();
  const profiles = new Map<string, Profile>();
  for (const [path, text] of files) {
    const id = ids.get(path);
    const parsed = id === undefined ? refusePath(path, text) : parseProfile(id, text, known);
    if (parsed.profile !== undefined) profiles.set(path, parsed.profile);
    if (parsed.issues.length > 0) issues.set(path, parsed.issues);
  }
  const byId = new Map([...outside, ...[...profiles.values()].map((profile) => [profile.id, profile] as const)]);
  const add = (path: string, found: readonly ProfileIssue[]) =>
    issues.set(path, [...(issues.get(path) ?? []), ...found]);
  for (const [path, profile] of profiles) {
    const text = files.get(path) ?? "";
    const drafts = profile.isDraft ? [] : profile.implements.filter((id) => byId.get(id)?.isDraft);
    if (drafts.length > 0)
      add(path, reportAt(text, "profile_draft", `It is no draft, but includes drafts: ${drafts.join(", ")}.`));
    const circle = findCircle(profile, byId);
    if (circle === undefined) continue;
    add(path, reportAt(text, "profile_cycle", `The profile includes itself: ${circle.join(" -> ")}.`));
    profiles.delete(path);
  }
  return { profiles: [...profiles.values()], issues };
}

function refusePath(path: string, text: string): { readonly profile: undefined; readonly issues: readonly Issue[] } {
  const reporter = createReporter(text);
  const message = `${path} cannot be a profile: its folders and name are words of small letters, digits and _, and it ends in .yml.`;
  reporter.atOffset(0, 0, { code: "bad_id", message });
  return { profile: undefined, issues: reporter.issues() };
}

/** The way from a profile back to itself, if there is one. */
function findCircle(start: Profile, byId: ReadonlyMap<string, Profile>): readonly string[] | undefined {
  const seen = new Set<string>();
  const waiting = start.implements.map((id) => [start.id, id]);
  for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
    const id = way.at(-1) ?? "";
    if (id === start.id) return way;
    if (seen.has(id)) continue;
    seen.add(id);
    for (const next of byId.get(id)?.implements ?? []) waiting.push([...way, next]);
  }
  return undefined;
}

function reportAt(text: string, code: "profile_cycle" | "profile_draft", message: string): readonly ProfileIssue[] {
  // Placed like a profile that is not there, which in a circle it might as well be.
  const placed = issuesAt(text, [{ at: ["implements"], code: "unknown_profile", message }]);
  const severity = code === "profile_cycle" ? "error" : "warning";
  return placed.map((issue) => ({ ...issue, code, severity }));
}
