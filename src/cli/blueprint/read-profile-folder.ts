import { resolve } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { readFolder } from "#cli/read-folder.ts";
import { UsageError } from "#cli/usage-error.ts";
import { createProfileLibrary, type ProfileLibrary } from "#core/blueprint/profile.ts";
import { STARTER_PROFILES, starterLibrary } from "#manifest/starter-profiles.ts";
import { decodeText } from "#service/blueprint/unpack-package.ts";

/** Busbar's own profiles, and those of a folder when one is named; a profile of the folder wins over ours. */
export async function readProfileFolder(cli: Cli, folder: string | undefined): Promise<ProfileLibrary> {
  if (folder === undefined) return starterLibrary();
  const { files, issues } = await readFolder(resolve(cli.cwd, folder));
  const problems = issues.map(({ message }) => message);
  const texts = new Map<string, string>();
  for (const [path, content] of files) {
    if (!/\.ya?ml$/.test(path)) continue;
    const text = decodeText(content);
    if (text === undefined) problems.push(`${path} is not UTF-8 text.`);
    else texts.set(path, text);
  }
  const { parseProfiles } = await import("#manifest/parse-profiles.ts");
  const parsed = parseProfiles(texts, STARTER_PROFILES);
  for (const [path, found] of parsed.issues) {
    for (const { range, message } of found)
      problems.push(`${path}:${range.start.line}:${range.start.column} ${message}`);
  }
  if (problems.length > 0) {
    throw new UsageError(
      [`the profiles in ${folder} cannot be used:`, ...problems.map((line) => `  ${line}`)].join("\n"),
    );
  }
  return createProfileLibrary([...STARTER_PROFILES, ...parsed.profiles]);
}
