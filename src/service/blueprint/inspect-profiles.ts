import type { AnyIssue } from "#core/blueprint/any-issue.ts";
import { packageIssue } from "#core/blueprint/package-issue.ts";
import type { Profile, ProfileLibrary } from "#core/blueprint/profile.ts";
import { decodeText } from "#core/text/decode-text.ts";
import { type ParsedProfiles, parseProfiles } from "#manifest/parse-profiles.ts";
import { readZip } from "#service/blueprint/read-zip.ts";
import { looksLikeZip } from "#service/blueprint/zip-layout.ts";

/** An issue, and the file of the zip that has it. */
interface FileIssue extends Omit<AnyIssue, "code"> {
  readonly code: string;
  readonly file: string;
}

/** The result of checking a zip of profiles; plain values only, so that it can cross a thread. */
export interface InspectedProfiles {
  /** Those without errors, in the order of their files. */
  readonly profiles: readonly Profile[];
  /** Everything that is wrong, warnings included. */
  readonly issues: readonly FileIssue[];
}

/** As in a folder of profiles: what is no YAML, such as pages about them, and what begins with a dot is left aside. */
const IS_PROFILE = /^(?!.*(?:^|\/)\.).+\.ya?ml$/;
const MAX_FILE_BYTES = 256 * 1024;

/** Reads a zip whose paths are the ids of profiles. They may include each other and those of `known`. Never throws. */
export function inspectProfiles(bytes: Uint8Array, known: ProfileLibrary): InspectedProfiles {
  if (!looksLikeZip(bytes)) return failed(packageIssue("package_damaged", "", "Profiles are uploaded as a zip."));
  const { files, issues } = readZip(bytes);
  if (issues.length > 0) return { profiles: [], issues: issues.map((issue) => ({ ...issue, file: issue.path })) };
  const texts = new Map<string, string>();
  const unreadable: FileIssue[] = [];
  for (const [path, content] of files) {
    if (!IS_PROFILE.test(path)) continue;
    const text = content.length > MAX_FILE_BYTES ? undefined : decodeText(content);
    if (text !== undefined) texts.set(path, text);
    else unreadable.push(unreadableFile(path));
  }
  const others = [...known.ids()].flatMap((id) => known.get(id) ?? []);
  const { profiles, issues: found } = parseProfiles(texts, others);
  return { profiles, issues: [...unreadable, ...byFile(found)] };
}

function unreadableFile(file: string): FileIssue {
  return { ...packageIssue("package_encoding", file, `${file} is larger than 256 KiB, or no UTF-8 text.`), file };
}

function byFile(issues: ParsedProfiles["issues"]): readonly FileIssue[] {
  return [...issues].flatMap(([file, list]) => list.map((issue) => ({ ...issue, file })));
}

function failed(issue: AnyIssue): InspectedProfiles {
  return { profiles: [], issues: [{ ...issue, file: "" }] };
}
