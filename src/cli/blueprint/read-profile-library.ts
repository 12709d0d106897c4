import { resolve } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { remark } from "#cli/print.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { libraryWith } from "#manifest/library-with.ts";

/** Busbar's own profiles, and those of a folder when one is named; a profile of the folder wins over ours. */
export async function readProfileLibrary(cli: Cli, folder: string | undefined): Promise<ProfileLibrary> {
  if (folder === undefined) return libraryWith([]);
  const { readProfileFolder } = await import("#runtime/inspect/read-profile-folder.ts");
  const { profiles, problems } = await readProfileFolder(resolve(cli.cwd, folder));
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const lines = errors.map(({ message }) => `  ${message}`);
    throw new UsageError([`the profiles in ${folder} cannot be used:`, ...lines].join("\n"));
  }
  for (const { message } of problems) remark(cli, `${folder}/${message}`);
  return libraryWith(profiles);
}
