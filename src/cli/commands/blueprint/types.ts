import { readProfileLibrary } from "#cli/blueprint/read-profile-library.ts";
import { readValidBlueprint } from "#cli/blueprint/read-valid-blueprint.ts";
import { renderTypes } from "#cli/blueprint/render-types.ts";
import type { Cli } from "#cli/cli.ts";
import { saveFile } from "#cli/save-file.ts";

export type TypesFlags = { readonly output?: string; readonly force?: boolean; readonly profiles?: string };

export async function types(cli: Cli, path: string | undefined, flags: TypesFlags): Promise<void> {
  const profiles = await readProfileLibrary(cli, flags.profiles);
  const { blueprint } = await readValidBlueprint(cli, path, profiles);
  saveFile(cli, { file: flags.output ?? "-", force: flags.force }, renderTypes(blueprint, profiles));
}
