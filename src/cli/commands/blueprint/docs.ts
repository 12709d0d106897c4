import { readProfileLibrary } from "#cli/blueprint/read-profile-library.ts";
import { readValidBlueprint } from "#cli/blueprint/read-valid-blueprint.ts";
import { renderDocs } from "#cli/blueprint/render-docs.ts";
import type { Cli } from "#cli/cli.ts";
import { saveFile } from "#cli/save-file.ts";

export type DocsFlags = { readonly output?: string; readonly force?: boolean; readonly profiles?: string };

export async function docs(cli: Cli, path: string | undefined, flags: DocsFlags): Promise<void> {
  const profiles = await readProfileLibrary(cli, flags.profiles);
  const { blueprint } = await readValidBlueprint(cli, path, profiles);
  saveFile(cli, { file: flags.output ?? "-", force: flags.force }, renderDocs(blueprint, profiles));
}
